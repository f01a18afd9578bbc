package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// infer joins the places below root that contain values of the same kind, and finds the objects
// that are maps.
func infer(root *place) *place {
	for slices.ContainsFunc(below(root), (*place).asMapByNames) {
	}
	for joinOne(root) {
	}
	for _, p := range below(root) {
		p.asMapByValues()
	}
	return root.now()
}

// below returns root and the places that are reachable from it, in the order of the document, outer
// places first.
func below(root *place) []*place {
	list := []*place{root.now()}
	for i := 0; i < len(list); i++ {
		for _, l := range list[i].links() {
			if p := l.to(); !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

func (p *place) links() []*link {
	if p.elements == nil {
		return p.members
	}
	return append(slices.Clone(p.members), p.elements)
}

// asMapByNames turns objects into a map if the member names are data: integers, or identifiers in
// capitals. It reports whether it did.
func (p *place) asMapByNames() bool {
	switch {
	case len(p.members) == 0:
		return false
	case p.all(integer):
		p.asMap("int64")
	case p.all(identifier):
		p.asMap("string")
	default:
		return false
	}
	return true
}

func integer(m *link) bool {
	_, err := strconv.ParseInt(m.name, 10, 64)
	return err == nil
}

func identifier(m *link) bool {
	return !strings.ContainsFunc(m.name, unicode.IsLower) && strings.ContainsFunc(m.name, func(r rune) bool { return r == '_' || unicode.IsDigit(r) })
}

// asMapByValues turns objects into a map if they have at least three members, all of them structs
// of the same type.
func (p *place) asMapByValues() {
	if len(p.members) < 3 || p.mapKey != "" {
		return
	}
	first := p.members[0].to()
	if first.isStruct() && p.all(func(m *link) bool { return m.to() == first && m.nulls == 0 }) {
		p.asMap("string")
	}
}

func (p *place) all(is func(*link) bool) bool {
	return !slices.ContainsFunc(p.members, func(m *link) bool { return !is(m) })
}

// asMap joins the members into the elements. Objects that are maps have elements instead of
// members.
func (p *place) asMap(key string) {
	members := p.members
	p.mapKey, p.members, p.byName = key, nil, nil
	p.elements = &link{place: &place{key: p.key, parent: p, elem: true}}
	for _, m := range members {
		p.elements.seen += m.seen
		p.elements.nulls += m.nulls
		p.elements.to().join(m.to())
	}
}

// isStruct reports whether the values are objects that become a struct.
func (p *place) isStruct() bool {
	return p.objects > 0 && p.mapKey == "" && len(p.members) > 0 && len(p.kinds()) == 1
}

// kinds returns the kinds of the values at this place.
func (p *place) kinds() []string {
	var kinds []string
	for _, k := range []struct {
		name string
		n    int
	}{{"bool", p.bools}, {"number", p.ints + p.floats}, {"string", p.strings}, {"array", p.arrays}, {"object", p.objects}} {
		if k.n > 0 {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}

// joinOne joins the first two places whose structs are of the same kind. It reports whether there
// were such places.
func joinOne(root *place) bool {
	list := slices.DeleteFunc(below(root), func(p *place) bool { return !p.isStruct() })
	for i, a := range list {
		for _, b := range list[i+1:] {
			if a.alike(b) || a.within(b) || b.within(a) {
				a.join(b)
				return true
			}
		}
	}
	return false
}

// alike reports whether the structs of two places are of the same kind. One must have all fields of
// the other, and at most twice as many. It may have more if both places have the same name.
func (p *place) alike(q *place) bool {
	shared, agree := p.shared(q)
	few, many := len(p.members), len(q.members)
	if few > many {
		few, many = many, few
	}
	return agree && shared == few && (many <= 2*few || p.key == q.key && shared > 1)
}

// within reports whether a struct contains, at any depth, another struct of its kind: one with the
// same name and a common field.
func (p *place) within(outer *place) bool {
	for up := p.parent; up != nil; up = up.parent {
		if up.now() == outer && up.key == p.key && !(p.elem && up == p.parent) {
			shared, agree := p.shared(outer)
			return shared > 0 && agree
		}
	}
	return false
}

// shared counts the common fields of two structs, and reports whether these fields have the same
// kinds of values.
func (p *place) shared(q *place) (n int, agree bool) {
	agree = true
	for _, m := range p.members {
		o := q.byName[m.name]
		if o == nil {
			continue
		}
		n++
		a, b := m.to(), o.to()
		if ka, kb := a.kinds(), b.kinds(); len(ka) > 0 && len(kb) > 0 && (!slices.Equal(ka, kb) || a.isTime() != b.isTime()) {
			agree = false
		}
	}
	return n, agree
}

func (p *place) isTime() bool { return p.strings > 0 && p.times == p.strings }

// join merges q into p, and the places below q into the places below p.
func (p *place) join(q *place) {
	p, q = p.now(), q.now()
	if p == q {
		return
	}
	q.joined = p
	p.bools += q.bools
	p.strings += q.strings
	p.times += q.times
	p.ints += q.ints
	p.floats += q.floats
	p.big = p.big || q.big
	p.arrays += q.arrays
	p.pairs += q.pairs
	p.objects += q.objects
	for _, m := range q.members {
		if have := p.byName[m.name]; have != nil {
			have.join(m)
		} else {
			p.add(m)
		}
	}
	switch {
	case p.elements == nil:
		p.elements = q.elements
	case q.elements != nil:
		p.elements.join(q.elements)
	}
	if p.mapKey == "" {
		p.mapKey = q.mapKey
	}
}

func (l *link) join(m *link) {
	l.seen += m.seen
	l.nulls += m.nulls
	l.to().join(m.to())
}
