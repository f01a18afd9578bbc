package relay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/internal/jsonfault"
)

// Rules are what the rules file says of clients and tenants. The zero Rules let anybody write for
// every tenant, without limits.
//
//	{
//	  "credentials": [
//	    {"name": "prom-a", "token_file": "a.token", "tenants": ["team-a", "team-b*"]},
//	    {"name": "agents", "user": "vmagent", "password_file": "agents.password", "tenants": ["*"]},
//	    {"name": "edge", "certificate": "edge.example.org", "tenants": ["edge-*"]}
//	  ],
//	  "tenants": {
//	    "*": {"samples_per_second": 100000, "active_series": 1000000},
//	    "team-a": {"as": "a-at-the-target", "samples_per_second": 500000},
//	    "team-x": {"drop": true}
//	  },
//	  "only_listed": false
//	}
//
// The keys of "tenants" and the patterns of credentials are tenants as clients name them. What "*"
// says is the default of each tenant, which it overrides key by key; a limit of 0 is none. Names of
// files are relative to the directory of the rules file. A key that is not known, or is there
// twice, is an error.
type Rules struct {
	credentials
	defaults   TenantRule
	tenants    map[string]*TenantRule
	onlyListed bool // tenants that are not in the file are refused
}

// TenantRule has the rules of a tenant.
type TenantRule struct {
	As   string // its ID at the target; empty: the same
	Drop bool   // its series are dropped, and counted
	Limits
	Class string // whose histograms have its posts; empty: "default"

	keep, drop *patterns // of names of series; those that are not kept are dropped, and counted

	id string
}

// Limits are the limits of a tenant. A zero field means no limit.
type Limits struct {
	SamplesPerSecond float64
	Burst            int           // samples that may come at once after a pause; if not given, those of 10 seconds
	Concurrency      int           // POSTs to the target at once
	ActiveSeries     int           // of the last 10 to 20 minutes
	LabelsPerSeries  int           // the tenant's label included
	LabelNameBytes   int           // of each name
	LabelValueBytes  int           // of each value
	SeriesPerRequest int           // of the tenant
	Timeout          time.Duration // of a POST to the target; zero: that of the relay
}

const burstSeconds = 10

// ReadRules reads a rules file and the files that it names. It joins all errors, which contain no
// secrets.
func ReadRules(path string) (*Rules, error) { return readRules(path, os.ReadFile) }

// readRules reads files by read.
func readRules(path string, read func(path string) ([]byte, error)) (*Rules, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	r, err := parseRules(text, func(name string) ([]byte, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(path), name)
		}
		return read(name)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func parseRules(text []byte, read func(name string) ([]byte, error)) (*Rules, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			err = fmt.Errorf("line %d: %w", 1+bytes.Count(text[:syntax.Offset], []byte("\n")), err)
		}
		return nil, err
	}
	r := new(Rules)
	var p problems
	var credentials, tenants json.RawMessage
	p.readObject("the rules", whole, map[string]any{"credentials": &credentials, "tenants": &tenants, "only_listed": &r.onlyListed})
	if credentials != nil {
		r.credentials.parse(&p, credentials, read)
	}
	if tenants != nil {
		r.parseTenants(&p, tenants)
		r.checkClasses(&p)
	}
	if len(p) > 0 {
		return nil, errors.Join(p...)
	}
	return r, nil
}

// guardAs returns an error if r lets anybody in where old did not. So a file that was emptied by
// mistake opens nothing.
func (r *Rules) guardAs(old *Rules) error {
	const restart = "; if that is meant, restart the service"
	switch {
	case len(old.list) > 0 && len(r.list) == 0:
		return errors.New("credentials were removed, which would let anyone write for every tenant" + restart)
	case old.onlyListed && !r.onlyListed && len(r.list) == 0:
		return errors.New("only_listed was removed, which would accept series of every tenant" + restart)
	case !old.empty() && r.empty():
		return errors.New("the rules are empty, and had limits" + restart)
	}
	return nil
}

// empty reports whether the rules say nothing.
func (r *Rules) empty() bool {
	return len(r.list) == 0 && len(r.tenants) == 0 && !r.onlyListed && r.defaults == (TenantRule{})
}

func (r *Rules) parseTenants(p *problems, text []byte) {
	members := p.readMembers("tenants", text)
	if all, ok := members["*"]; ok {
		const place = `tenants["*"]`
		r.defaults.parse(p, place, all)
		if r.defaults.As != "" {
			p.add(place, "as would make one tenant of all")
		}
		delete(members, "*")
	}
	r.tenants = make(map[string]*TenantRule, len(members))
	for _, id := range slices.Sorted(maps.Keys(members)) {
		place := fmt.Sprintf("tenants[%q]", clip(id))
		rule := r.defaults
		rule.id = id
		rule.parse(p, place, members[id])
		if strings.Contains(id, lineMark) {
			p.add(place, "the name has a zero byte")
		}
		if strings.HasSuffix(id, "*") {
			p.add(place, `these are rules of one tenant: only "*" is for all`)
		} else if rule.As == "" && !rule.Drop {
			if err := checkAnyTenant([]byte(id)); err != nil {
				p.add(place, "%v", err)
			}
		}
		rule.setBurst()
		r.tenants[id] = &rule
	}
	r.defaults.setBurst()
}

// parse overrides what the text says.
func (t *TenantRule) parse(p *problems, place string, text []byte) {
	var keep, drop *patterns // those of the defaults are shared
	into := map[string]any{
		"as": &t.As, "drop": &t.Drop, "samples_per_second": &t.SamplesPerSecond, "burst": &t.Burst, "concurrency": &t.Concurrency,
		"active_series": &t.ActiveSeries, "labels_per_series": &t.LabelsPerSeries, "label_name_bytes": &t.LabelNameBytes,
		"label_value_bytes": &t.LabelValueBytes, "series_per_request": &t.SeriesPerRequest, "timeout": (*duration)(&t.Timeout),
		"keep_series": &keep, "drop_series": &drop, "class": &t.Class,
	}
	p.readObject(place, text, into)
	t.keep, t.drop = cmp.Or(keep, t.keep), cmp.Or(drop, t.drop)
	for _, key := range slices.Sorted(maps.Keys(into)) {
		negative := false
		switch v := into[key].(type) {
		case *int:
			negative = *v < 0
		case *float64:
			negative = *v < 0
		case *duration:
			negative = *v < 0
		}
		if negative {
			p.add(place, "%s must not be negative", key)
		}
	}
	if err := checkClass(t.Class); err != nil {
		p.add(place, "class: %w", err)
	}
	if t.As != "" {
		if err := checkAnyTenant([]byte(t.As)); err != nil {
			p.add(place, "as: %v", err)
		}
	}
}

func (l *Limits) setBurst() {
	if l.SamplesPerSecond > 0 && l.Burst == 0 {
		l.Burst = int(min(max(l.SamplesPerSecond*burstSeconds, 1), 1<<30))
	}
}

var errUnlisted = errors.New("tenant not listed in the rules")

// tenant is what the rules say of a tenant, by the name that clients give it. For one that is in
// the file nothing is allocated. An error says that its series are refused for ever.
func (r *Rules) tenant(id []byte) (name string, rule *TenantRule, err error) {
	if rule := r.tenants[string(id)]; rule != nil {
		return rule.id, rule, nil
	}
	if err := checkAnyTenant(id); err != nil {
		return "", nil, err
	}
	if r.onlyListed {
		return "", nil, errUnlisted
	}
	return string(id), &r.defaults, nil
}

// maxTenant is how many bytes a tenant ID may have.
const maxTenant = 150

// checkTenant wants an ID that Cortex and Mimir take. They answer some of the others with 500, and
// a sender would try for ever.
func checkTenant(id []byte) error {
	if len(id) == 0 {
		return errors.New("empty tenant ID")
	}
	if len(id) > maxTenant {
		return fmt.Errorf("tenant ID %q of %d bytes exceeds the maximum of %d", clip(string(id[:maxTenant])), len(id), maxTenant)
	}
	for _, c := range id {
		if !inTenant[c] {
			return fmt.Errorf("tenant ID %q contains %q; allowed are letters, digits and !-_.*'()", clip(string(id)), c)
		}
	}
	switch string(id) {
	case ".", "..", "__markers__", "user-index.json.gz", "__mimir_cluster":
		return fmt.Errorf("tenant ID %q is reserved by Cortex and Mimir", id)
	}
	return nil
}

// checkAnyTenant wants an ID that Cortex and Mimir take, or one of VictoriaMetrics' with a project,
// as 12:3, which is for paths alone.
func checkAnyTenant(id []byte) error {
	account, project, ok := bytes.Cut(id, []byte(":"))
	if ok && isNumber(account) && isNumber(project) {
		return nil
	}
	return checkTenant(id)
}

// isNumber reports whether s is a number as VictoriaMetrics wants it.
func isNumber(s []byte) bool {
	_, err := strconv.ParseUint(string(s), 10, 32)
	return err == nil
}

var inTenant = func() (in [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!-_.*'()") {
		in[c] = true
	}
	return in
}()

// duration is text in JSON, as "10s".
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = duration(v)
	return err
}

// problems are what is wrong with the rules, and where.
type problems []error

func (p *problems) add(place, format string, args ...any) {
	*p = append(*p, fmt.Errorf("%s: %w", place, fmt.Errorf(format, args...)))
}

// readObject reads the members of an object into what is at their keys. encoding/json would let a
// key be spelled in another case, or be there twice, and names no place.
func (p *problems) readObject(place string, text []byte, into map[string]any) {
	members := p.readMembers(place, text)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if v, ok := into[key]; !ok {
			p.add(place, "%q is no key here: use %s", clip(key), strings.Join(slices.Sorted(maps.Keys(into)), ", "))
		} else if err := json.Unmarshal(members[key], v); err != nil {
			p.add(place, "%s: %w", key, jsonfault.Plain(err))
		}
	}
}

// readMembers reads an object from valid JSON.
func (p *problems) readMembers(place string, text []byte) map[string]json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, _ := d.Token(); t != json.Delim('{') {
		p.add(place, "it must be an object")
		return nil
	}
	members := make(map[string]json.RawMessage)
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			p.add(place, "%w", err)
			return nil
		}
		if _, ok := members[key.(string)]; ok {
			p.add(place, "%q is repeated", clip(key.(string)))
		}
		members[key.(string)] = value
	}
	return members
}
