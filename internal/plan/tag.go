package plan

import "strings"

// Tag is a parsed struct tag of the form `name,option,key:value`.
//
// The grammar is the same as in other Go libraries for MessagePack:
//   - An item may be enclosed in single quotes. Inside the quotes, a backslash escapes the next
//     byte.
//   - A value may contain balanced parentheses with commas in them.
//   - Spaces around items are dropped.
//   - If the first item has the form key:value, it is an option, and the name is empty.
type Tag struct {
	Name    string
	Options []Option
}

// Option is one item after a tag's name. The field Value is empty if the item contains no colon.
type Option struct{ Key, Value string }

// Has reports whether the tag contains the option with the given key.
func (t Tag) Has(key string) bool {
	_, ok := t.Option(key)
	return ok
}

// Option returns the value of the last option with the given key, and reports whether there is such
// an option.
func (t Tag) Option(key string) (value string, ok bool) {
	for _, o := range t.Options {
		if o.Key == key {
			value, ok = o.Value, true
		}
	}
	return value, ok
}

// ParseTag parses a tag. It never fails: text that does not match the grammar is used literally.
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

// parseItem parses s up to the next comma that is outside quotes and parentheses.
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
