package plan

import "strings"

// Tag is a parsed struct tag: `name,option,key:value`.
//
// The grammar is that of MessagePack's tags in Go:
//   - An item may be quoted with single quotes. Inside of them, a backslash escapes the next byte.
//   - A value may contain balanced parentheses with commas in them.
//   - Spaces around items are dropped.
//   - If the first item has the form key:value, it is an option, and the name is empty.
type Tag struct {
	Name    string
	Options []Option
}

// Option is one item after a tag's name. Value is empty for an item without a colon.
type Option struct{ Key, Value string }

// Has reports whether the tag has the option key.
func (t Tag) Has(key string) bool {
	_, ok := t.Option(key)
	return ok
}

// Option returns the value of the last option called key, and reports whether there is one.
func (t Tag) Option(key string) (value string, ok bool) {
	for _, o := range t.Options {
		if o.Key == key {
			value, ok = o.Value, true
		}
	}
	return value, ok
}

// ParseTag parses a tag. It never fails: text that does not fit the grammar is taken literally.
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

// parseItem parses s up to the next comma outside quotes and parentheses.
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
