package plan

import "strings"

// Tag is a parsed struct tag: `name,option,key:value`.
//
// The grammar is that of MessagePack's tags in Go: an item may be quoted with single quotes, in
// which a backslash escapes; a value may hold balanced parentheses with commas in them; spaces
// around items are dropped; a first item of the form key:value is an option and leaves the name
// empty.
type Tag struct {
	Name    string
	Options []Option
}

// Option is one item after a tag's name. Value is empty for a bare word.
type Option struct{ Key, Value string }

// Has reports whether the tag has the option key.
func (t Tag) Has(key string) bool {
	_, ok := t.Option(key)
	return ok
}

// Option is the value of the last option called key.
func (t Tag) Option(key string) (value string, ok bool) {
	for _, o := range t.Options {
		if o.Key == key {
			value, ok = o.Value, true
		}
	}
	return value, ok
}

// ParseTag reads a tag. It never fails: what does not fit the grammar is taken literally.
func ParseTag(s string) Tag {
	var t Tag
	for first := true; ; first = false {
		var key, value string
		var keyed, more bool
		key, value, keyed, s, more = parseItem(s)
		switch {
		case first && !keyed:
			t.Name = key
		case key != "":
			t.Options = append(t.Options, Option{key, value})
		}
		if !more {
			return t
		}
	}
}

// parseItem reads up to the next comma outside quotes and parentheses.
func parseItem(s string) (key, value string, keyed bool, rest string, more bool) {
	var text strings.Builder
	depth := 0
	done := func() {
		if keyed {
			value = strings.TrimSpace(text.String())
		} else {
			key = strings.TrimSpace(text.String())
		}
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' && depth == 0:
			for i++; i < len(s) && s[i] != '\''; i++ {
				if s[i] == '\\' && i+1 < len(s) {
					i++
				}
				text.WriteByte(s[i])
			}
		case c == ',' && depth == 0:
			done()
			return key, value, keyed, s[i+1:], true
		case c == ':' && depth == 0 && !keyed:
			key = strings.TrimSpace(text.String())
			text.Reset()
			keyed = true
		default:
			if keyed && c == '(' {
				depth++
			} else if keyed && c == ')' && depth > 0 {
				depth--
			}
			text.WriteByte(c)
		}
	}
	done()
	return key, value, keyed, "", false
}
