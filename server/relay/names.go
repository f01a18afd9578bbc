package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// patterns is a list of patterns for metric names. A pattern is a complete name, or a name that
// contains one * in place of any number of bytes.
type patterns struct {
	exact map[string]bool
	globs []glob
}

type glob struct{ prefix, suffix string }

// UnmarshalJSON parses an array of strings.
func (p *patterns) UnmarshalJSON(text []byte) error {
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	*p = patterns{exact: make(map[string]bool)}
	for _, s := range list {
		prefix, suffix, ok := strings.Cut(s, "*")
		switch {
		case s == "":
			return errors.New("empty name")
		case strings.Contains(suffix, "*"):
			return fmt.Errorf("%q has more than one *", clip(s))
		case ok:
			p.globs = append(p.globs, glob{prefix, suffix})
		default:
			p.exact[s] = true
		}
	}
	return nil
}

// none reports whether p is empty or nil.
func (p *patterns) none() bool { return p == nil || len(p.exact) == 0 && len(p.globs) == 0 }

func (p *patterns) match(name []byte) bool {
	if p.exact[string(name)] {
		return true
	}
	for i := range p.globs {
		g := &p.globs[i]
		n := len(name) - len(g.suffix)
		if n >= len(g.prefix) && string(name[:len(g.prefix)]) == g.prefix && string(name[n:]) == g.suffix {
			return true
		}
	}
	return false
}

// filters reports whether the rule selects series by name.
func (t *TenantRule) filters() bool { return !t.keep.none() || !t.drop.none() }

// wants reports whether the rule keeps a series.
func (t *TenantRule) wants(s *remotewrite.SeriesView) bool {
	var name []byte
	for label, value := range s.Labels {
		if string(label) == "__name__" {
			name = value
			break
		}
	}
	return (t.keep.none() || t.keep.match(name)) && (t.drop.none() || !t.drop.match(name))
}
