package schema_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/slipstream-go/slipstream/schema"
)

// UserV1, UserV2 and User are three versions of a user.
type (
	UserV1 struct{ Name string }
	UserV2 struct{ First, Last string }
	User   struct {
		First, Last string
		Roles       []string
	}
)

var (
	usersV1 = schema.Struct(
		schema.F("name", func(u *UserV1) *string { return &u.Name }, schema.Str8))
	usersV2 = schema.Struct(
		schema.F("first", func(u *UserV2) *string { return &u.First }, schema.Str8),
		schema.F("last", func(u *UserV2) *string { return &u.Last }, schema.Str8))
	users = schema.Struct(
		schema.F("first", func(u *User) *string { return &u.First }, schema.Str8),
		schema.F("last", func(u *User) *string { return &u.Last }, schema.Str8),
		schema.F("roles", func(u *User) *[]string { return &u.Roles }, schema.List(schema.H8, schema.Str8)))
)

func v1to2(old *UserV1, new *UserV2) error {
	new.First, new.Last, _ = strings.Cut(old.Name, " ")
	return nil
}

func v2to3(old *UserV2, new *User) error {
	new.First, new.Last, new.Roles = old.First, old.Last, []string{"guest"}
	return nil
}

// A Registry identifies the type of a message by its ID, and calls the function for that type.
func ExampleRegistry() {
	r := schema.NewRegistry(schema.U8)
	err := errors.Join(
		schema.Register(r, 0, pets, func(p *Pet) error { fmt.Println("pet", p.Name, p.Age); return nil }),
		schema.Register(r, 1, usersV2, func(u *UserV2) error { fmt.Println("user", u.First, u.Last); return nil }))
	fmt.Println(err)

	var w bytes.Buffer
	err = errors.Join(
		schema.WriteModel(r, &w, 0, &Pet{Name: "cat", Age: 3}),
		schema.WriteModel(r, &w, 1, &UserV2{"ann", "lee"}))
	fmt.Println(err)

	for b := w.Bytes(); err == nil && len(b) > 0; {
		b, err = r.Dispatch(b)
	}
	fmt.Println(err)
	_, err = r.Dispatch([]byte("\x07"))
	fmt.Printf("%+v\n", err)
	// Output:
	// <nil>
	// <nil>
	// pet cat 3
	// user ann lee
	// <nil>
	// schema: id: an unknown id: 7 (offset 0)
}

// Each version has its own ID. The reader's function only handles the newest version.
func ExampleUpgrade() {
	r := schema.NewRegistry(schema.U8)
	err := errors.Join(
		schema.Register(r, 3, users, func(u *User) error { fmt.Println(u.First, u.Last, u.Roles); return nil }),
		schema.Upgrade(r, 2, usersV2, 3, v2to3),
		schema.Upgrade(r, 1, usersV1, 2, v1to2))
	fmt.Println(err)

	var w bytes.Buffer
	err = errors.Join(
		schema.WriteModel(r, &w, 1, &UserV1{"ann lee"}),
		schema.WriteModel(r, &w, 2, &UserV2{"bob", "ray"}),
		schema.WriteModel(r, &w, 3, &User{"cat", "fox", []string{"admin"}}))
	fmt.Println(err)

	for in := r.Reader(&w); err == nil; {
		err = in.Dispatch()
	}
	fmt.Println(err == io.EOF)
	// Output:
	// <nil>
	// <nil>
	// ann lee [guest]
	// bob ray [guest]
	// cat fox [admin]
	// true
}

// The first frame of this file was written by an older program.
func ExampleFramed() {
	var file bytes.Buffer
	fmt.Println(usersV1.Framed().Write(&file, &UserV1{"ann lee"}))

	framed := users.Framed()
	fmt.Println(framed.Write(&file, &User{"cat", "fox", []string{"admin"}}))

	var u User
	_, err := framed.Parse(file.Bytes(), &u)
	fmt.Println(errors.Is(err, schema.ErrFingerprint), err)

	err = errors.Join(
		schema.Accept(framed, usersV2, users, v2to3),
		schema.Accept(framed, usersV1, usersV2, v1to2))
	fmt.Println(err)
	for u, err := range framed.Reader(&file).All() {
		fmt.Println(u, err)
	}
	// Output:
	// <nil>
	// <nil>
	// true schema: fingerprint: a frame of another schema: 4c8147f203098d95, want 32593739e00a5d0b (offset 0)
	// <nil>
	// &{ann lee [guest]} <nil>
	// &{cat fox [admin]} <nil>
}
