package parco_test

import (
	"errors"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

type user struct {
	Name  string
	Email *string
	Age   *uint8
}

// userBuilder returns a model with no, one or two options.
func userBuilder(options int) ModelBuilder[user] {
	b := Builder[user](nil).SmallVarchar(func(u *user) string { return u.Name }, func(u *user, v string) { u.Name = v })
	if options > 0 {
		b = b.Option(OptionField(SmallVarchar(), func(u *user, v *string) { u.Email = v }, func(u *user) *string { return u.Email }))
	}
	if options > 1 {
		b = b.Option(OptionField(UInt8(), func(u *user, v *uint8) { u.Age = v }, func(u *user) *uint8 { return u.Age }))
	}
	return b
}

// Options at the end of a model may be missing from a message that ParseBytes reads. The message
// must end directly before one of them. In a stream, an option is never missing, because the next
// message could be mistaken for it.
func TestOptionsAtTheEnd(t *testing.T) {
	v := user{"hey", Ptr("you"), Ptr(uint8(7))}
	b := compiled(t, userBuilder(2), v) // 03 hey 01 03 you 01 07
	newer := userBuilder(2).Parser()
	for n := range b {
		got, err := newer.ParseBytes(b[:n])
		switch {
		case n == 4 || n == 9:
			if err != nil || got.Name != "hey" || (got.Email == nil) != (n == 4) || got.Age != nil {
				t.Errorf("cut at %d: %+v %v", n, got, err)
			}
		case !errors.Is(err, ErrCannotRead):
			t.Errorf("cut at %d: %+v %v", n, got, err)
		}
		if got, err := newer.Parse(reader(b[:n])); !errors.Is(err, ErrCannotRead) {
			t.Errorf("a stream that ends at %d: %+v %v", n, got, err)
		}
	}
	if got, err := userBuilder(0).ParseBytes(b); err != nil || got.Name != "hey" {
		t.Errorf("an old reader: %+v %v", got, err)
	}
	old := compiled(t, userBuilder(0), user{Name: "hey"})
	if got, err := newer.Parse(reader(append(old, old...))); err == nil {
		t.Errorf("%+v: the next message was taken for an option", got)
	}
	// In a model within another model, the options must be present.
	outer := Builder[user](nil).Struct(StructField(func(u *user) user { return *u }, func(u *user, v user) { *u = v }, userBuilder(1)))
	if _, err := outer.ParseBytes(old); !isError(err, ErrCannotRead, "#1.#2", 4) {
		t.Errorf("%+v", err)
	}
	if _, err := newer.ParseBytes([]byte("\x03hey\x02")); !isError(err, schema.ErrOption, "#2", 4) {
		t.Errorf("%+v", err)
	}
	if _, err := Bool().Parse(reader([]byte{2})); !isError(err, schema.ErrBool, "", 0) {
		t.Errorf("%+v", err)
	}
}
