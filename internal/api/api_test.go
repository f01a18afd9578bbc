package api

import (
	"strings"
	"testing"
)

func TestExportedNamesEachKind(t *testing.T) {
	got, err := Exported("", nil, "./testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(`pkg shapes, const Answer untyped int = 42
pkg shapes, func Register(any, func(int, io.Writer) error, []byte) (*shapes.Shape, bool)
pkg shapes, method (*Same) Grow(int, ...string)
pkg shapes, method (*Shape) Grow(int, ...string)
pkg shapes, method (Drawer) Close() error
pkg shapes, method (Drawer) Draw(*shapes.Shape, map[string]any) error
pkg shapes, method (Same) Sides() int
pkg shapes, method (Shape) Sides() int
pkg shapes, type Drawer interface
pkg shapes, type Raw []byte
pkg shapes, type Same struct
pkg shapes, type Same struct, Name string
pkg shapes, type Shape struct
pkg shapes, type Shape struct, Name string
pkg shapes, var Code byte`, "\n")
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestExportedSaysWhatIsWrong(t *testing.T) {
	if _, err := Exported("", nil, "./testdata/nothing"); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("%v", err)
	}
}
