package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// place is where values of a document stand, and what they are. At first each path has its own
// place: all elements of an array share one, and so do the members of one name of all objects in a
// place. Then infer joins places that hold the same kind of thing.
type place struct {
	key    string // the name of the member; elements have that of their array
	parent *place
	elem   bool // it holds the elements of arrays

	bools, strings, times, ints, floats int  // times are counted as strings, too
	big                                 bool // some integer is beyond int64

	arrays   int
	pairs    int // arrays of two numbers
	elements *link

	objects int
	members []*link
	byName  map[string]*link
	mapKey  string // of the Go map, when the objects are that

	joined *place // the place that this one became part of
}

// link leads to a place.
type link struct {
	name  string
	place *place
	seen  int // how many values
	nulls int // how many of them are null: these are not in the place
}

// to is the place that a link leads to by now.
func (l *link) to() *place { return l.place.now() }

func (p *place) now() *place {
	for p.joined != nil {
		p = p.joined
	}
	return p
}

// observe reads a document.
func (p *place) observe(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	document := &link{place: p}
	return document.value(d)
}

// value reads one value of those that the link leads to.
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
			_, err = d.Token() // the end
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
		name := token.(string) // the decoder takes nothing else here
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
