// Package shapes contains an exported name of each kind, and some unexported names.
package shapes

import "io"

const Answer = 42

var Code byte = 7

type hidden func(n int, w io.Writer) error

type Shape struct {
	Name  string
	sides int
}

func (s Shape) Sides() int                { return s.sides }
func (s *Shape) Grow(by int, _ ...string) { s.sides += by }
func (s *Shape) shrink()                  { s.sides-- }

type Raw []byte

type Same = Shape

type Drawer interface {
	io.Closer
	Draw(to *Shape, all map[string]interface{}) (err error)
}

func Register(v interface{}, fn hidden, b []byte) (*Same, bool) {
	s := new(Shape)
	s.shrink()
	return s, fn == nil
}
