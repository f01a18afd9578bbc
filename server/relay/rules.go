package relay

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/internal/jsonfault"
)

// Rules contains the credentials, tenants and limits of a rules file. With the zero value, any
// client may write for any tenant, without limits.
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
// The keys in "tenants" are tenant names that include the prefix of a credential. The patterns in
// credentials match tenant names without this prefix. The rules for "*" are defaults. If the rules
// of a tenant contain the same key as the defaults, the tenant's value applies. A limit of 0 means
// no limit. File names are relative to the directory of the rules file. Unknown and repeated keys
// are errors.
type Rules struct {
	credentials
	defaults   TenantRule
	tenants    map[string]*TenantRule
	onlyListed bool // reject tenants that are not in the file
}

// TenantRule contains the rules of a tenant.
type TenantRule struct {
	As   string // ID at the target; empty: the same as the name
	Drop bool   // drop and count all series
	Limits
	Class string // class of the tenant in histograms; if empty, "default"

	keep, drop *patterns // patterns of metric names; a series is dropped and counted if it does not match `keep` or if it matches `drop`

	id string
}

// Limits are the limits of a tenant. A zero field means no limit.
type Limits struct {
	SamplesPerSecond float64
	Burst            int           // maximum number of samples that may arrive at once after a pause; default: SamplesPerSecond for 10 seconds
	Concurrency      int           // maximum number of concurrent posts
	ActiveSeries     int           // maximum number of active series: series received within the last 10 to 20 minutes
	LabelsPerSeries  int           // maximum number of labels of a series, including the tenant label
	LabelNameBytes   int           // maximum length of each label name
	LabelValueBytes  int           // maximum length of each label value
	SeriesPerRequest int           // maximum number of series of this tenant in one request
	Timeout          time.Duration // timeout of a post to a target; zero means Options.Timeout
}

const burstSeconds = 10

// readRules reads a rules file, and the files that the rules file names. It reads each file with
// the function `read`. It joins all errors into one. The texts of errors contain no secrets.
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

// guardAs returns an error if the rules `old` contain credentials or limits, but the new rules r
// contain none. So if a file is emptied by mistake, the old rules stay in effect.
func (r *Rules) guardAs(old *Rules) error {
	const restart = "; if this is intended, restart the service"
	switch {
	case len(old.list) > 0 && len(r.list) == 0:
		return errors.New("credentials were removed, which would let anyone write for every tenant" + restart)
	case old.onlyListed && !r.onlyListed && len(r.list) == 0:
		return errors.New("only_listed was removed, which would accept series of every tenant" + restart)
	case !old.empty() && r.empty():
		return errors.New("the new rules are empty, but the previous rules had limits" + restart)
	}
	return nil
}

// empty reports whether the rules contain no settings.
func (r *Rules) empty() bool {
	return len(r.list) == 0 && len(r.tenants) == 0 && !r.onlyListed && r.defaults == (TenantRule{})
}

func (r *Rules) parseTenants(p *problems, text []byte) {
	members := p.readMembers("tenants", text)
	if all, ok := members["*"]; ok {
		const place = `tenants["*"]`
		r.defaults.parse(p, place, all)
		if r.defaults.As != "" {
			p.add(place, "as is not allowed here: it would merge all tenants into one")
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
		if len(id) > maxListed {
			p.add(place, "the name has %d bytes: at most %d are allowed", len(id), maxListed)
		}
		if strings.HasSuffix(id, "*") {
			p.add(place, `the name of a tenant must not end in *: only "*" means all tenants`)
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

// parse changes the rules that the text contains, and keeps all other rules of t.
func (t *TenantRule) parse(p *problems, place string, text []byte) {
	var keep, drop *patterns // the patterns of the defaults are shared, and must not change
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

// The method tenant returns the name and the rules of a tenant. The argument `id` includes the
// prefix of the credential. If the method returns an error, the relay must reject all series of the
// tenant. If the rules file contains the tenant, the method allocates no memory.
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

// maxTenant is the maximum length of a tenant ID.
const maxTenant = 150

// checkTenant returns an error if Cortex and Mimir do not accept the ID. They respond with 500 to
// some invalid IDs, so a sender would retry forever.
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

// checkAnyTenant is like checkTenant, but also accepts a VictoriaMetrics ID with account and
// project, such as 12:3. Such an ID is valid only in paths.
func checkAnyTenant(id []byte) error {
	account, project, ok := bytes.Cut(id, []byte(":"))
	if ok && isNumber(account) && isNumber(project) {
		return nil
	}
	return checkTenant(id)
}

// isNumber reports whether s is a number in an ID of VictoriaMetrics.
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

// duration is a duration that is written as text in JSON, such as "10s".
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = duration(v)
	return err
}

// problems contains the errors in a rules file, each with its position.
type problems []error

func (p *problems) add(place, format string, args ...any) {
	*p = append(*p, fmt.Errorf("%s: %w", place, fmt.Errorf(format, args...)))
}

// readObject decodes each member of a JSON object into the variable to which the value in the map
// `into` points. Unlike encoding/json, readObject rejects repeated keys, and keys that differ only
// in upper and lower case. Its errors contain the position in the file.
func (p *problems) readObject(place string, text []byte, into map[string]any) {
	members := p.readMembers(place, text)
	for _, key := range slices.Sorted(maps.Keys(members)) {
		if v, ok := into[key]; !ok {
			p.add(place, "unknown key %q: use %s", clip(key), strings.Join(slices.Sorted(maps.Keys(into)), ", "))
		} else if err := json.Unmarshal(members[key], v); err != nil {
			p.add(place, "%s: %w", key, jsonfault.Plain(err))
		}
	}
}

// readMembers reads the members of an object. The text must be valid JSON.
func (p *problems) readMembers(place string, text []byte) map[string]json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, _ := d.Token(); t != json.Delim('{') {
		p.add(place, "must be an object")
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
			p.add(place, "key %q is repeated", clip(key.(string)))
		}
		members[key.(string)] = value
	}
	return members
}
