package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// place describes the values at a place of a document. At first, each path has its own place: all
// elements of an array share one, and so do all members with the same name in the objects of a
// place. Then infer joins places with values of the same kind.
type place struct {
	key    string // name of the member; elements have the name of their array
	parent *place
	elem   bool // the values are elements of arrays

	bools, strings, times, ints, floats int  // times also count as strings
	big                                 bool // at least one integer exceeds int64

	arrays   int
	pairs    int // arrays of two numbers
	elements *link

	objects int
	members []*link
	byName  map[string]*link
	mapKey  string // key type of the Go map, if the objects are a map

	joined *place // the place into which this one was joined
}

// link refers to a place.
type link struct {
	name  string
	place *place
	seen  int // number of values
	nulls int // number of nulls among them; the place does not count nulls
}

// to returns the place to which a link now refers.
func (l *link) to() *place { return l.place.now() }

func (p *place) now() *place {
	for p.joined != nil {
		p = p.joined
	}
	return p
}

// observe records the values of a document.
func (p *place) observe(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	document := &link{place: p}
	return document.value(d)
}

// value reads one value, and records it in the place of the link.
func (l *link) value(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	l.seen++
	p := l.place
	switch v := token.(type) {
	case nil:
		l.nulls++
	case bool:
		p.bools++
	case json.Number:
		p.number(string(v))
	case string:
		p.strings++
		if _, err := time.Parse(time.RFC3339, v); err == nil {
			p.times++
		}
	case json.Delim:
		if v == '[' {
			err = p.array(d)
		} else {
			err = p.object(d)
		}
		if err == nil {
			_, err = d.Token() // end of the array or object
		}
	}
	return err
}

func (p *place) number(s string) {
	switch n, err := strconv.ParseUint(strings.TrimPrefix(s, "-"), 10, 64); {
	case err != nil || s[0] == '-' && n > 1<<63:
		p.floats++
	default:
		p.ints++
		p.big = p.big || s[0] != '-' && n > math.MaxInt64
	}
}

func (p *place) array(d *json.Decoder) error {
	p.arrays++
	if p.elements == nil {
		p.elements = &link{place: &place{key: p.key, parent: p, elem: true}}
	}
	e := p.elements
	values, numbers := e.seen, e.place.ints+e.place.floats
	for d.More() {
		if err := e.value(d); err != nil {
			return err
		}
	}
	if e.seen-values == 2 && e.place.ints+e.place.floats-numbers == 2 {
		p.pairs++
	}
	return nil
}

func (p *place) object(d *json.Decoder) error {
	p.objects++
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return err
		}
		name := token.(string) // the decoder accepts no other token here
		m := p.byName[name]
		if m == nil {
			m = &link{name: name, place: &place{key: name, parent: p}}
			p.add(m)
		}
		if err := m.value(d); err != nil {
			return err
		}
	}
	return nil
}

func (p *place) add(m *link) {
	if p.byName == nil {
		p.byName = map[string]*link{}
	}
	p.members, p.byName[m.name] = append(p.members, m), m
}
