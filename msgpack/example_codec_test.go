package msgpack_test

import (
	"bytes"
	"fmt"
	"net/netip"
	"reflect"

	"github.com/slipstream-go/slipstream/msgpack"
)

// Point encodes itself as an array of two numbers, without the field names.
type Point struct{ X, Y float64 }

func (p Point) EncodeMsgpack(e *msgpack.Encoder) error {
	if err := e.EncodeArrayLen(2); err != nil {
		return err
	}
	if err := e.EncodeFloat64(p.X); err != nil {
		return err
	}
	return e.EncodeFloat64(p.Y)
}

func (p *Point) DecodeMsgpack(d *msgpack.Decoder) error {
	n, err := d.DecodeArrayLen()
	if err != nil {
		return err
	}
	if n != 2 {
		return fmt.Errorf("a point has 2 numbers, not %d", n)
	}
	if p.X, err = d.DecodeFloat64(); err != nil {
		return err
	}
	p.Y, err = d.DecodeFloat64()
	return err
}

// A custom codec encodes and decodes its type by the methods for single values. Its errors also get
// a path and an offset.
func ExampleCustomEncoder() {
	data, err := msgpack.Marshal(map[string][]Point{"path": {{1, 2}, {3, 4}}})
	if err != nil {
		panic(err)
	}
	var shapes map[string][]Point
	fmt.Println(msgpack.Unmarshal(data, &shapes), shapes)

	err = msgpack.Unmarshal([]byte("\x81\xa4path\x91\x93\x01\x02\x03"), &shapes)
	fmt.Printf("%+v\n", err)
	// Output:
	// <nil> map[path:[{1 2} {3 4}]]
	// a point has 2 numbers, not 3 in path[0], at byte 8
}

// Register adds a codec for a type of another package, to which a program cannot add methods.
func ExampleRegister() {
	msgpack.Register(netip.Prefix{},
		func(e *msgpack.Encoder, v reflect.Value) error {
			return e.EncodeString(v.Interface().(netip.Prefix).String())
		},
		func(d *msgpack.Decoder, v reflect.Value) error {
			text, err := d.DecodeString()
			if err != nil {
				return err
			}
			prefix, err := netip.ParsePrefix(text)
			v.Set(reflect.ValueOf(prefix))
			return err
		})

	data, err := msgpack.Marshal([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	fmt.Printf("%q %v\n", data, err)
	var nets []netip.Prefix
	fmt.Println(msgpack.Unmarshal(data, &nets), nets)
	// Output:
	// "\x91\xaa10.0.0.0/8" <nil>
	// <nil> [10.0.0.0/8]
}

// Celsius is an ext type of this program.
type Celsius struct{ Degrees int8 }

func (c *Celsius) MarshalMsgpack() ([]byte, error) { return []byte{byte(c.Degrees)}, nil }

func (c *Celsius) UnmarshalMsgpack(data []byte) error {
	if len(data) != 1 {
		return fmt.Errorf("a temperature has 1 byte, not %d", len(data))
	}
	c.Degrees = int8(data[0])
	return nil
}

// An ext contains its type number. So decoding an ext into type any returns a value of the
// registered type.
func ExampleRegisterExt() {
	msgpack.RegisterExt(7, (*Celsius)(nil))
	defer msgpack.UnregisterExt(7)

	data, err := msgpack.Marshal([]any{"outside", &Celsius{-5}})
	fmt.Printf("%q %v\n", data, err)
	var v []any
	err = msgpack.Unmarshal(data, &v)
	fmt.Println(v[0], v[1].(*Celsius).Degrees, err)
	// Output:
	// "\x92\xa7outside\xd4\a\xfb" <nil>
	// outside -5 <nil>
}

// A string that recurs in a stream is encoded once, and then as its number. Both the encoder and
// the decoder must enable the option.
func ExampleEncoder_UseInternedStrings() {
	var stream bytes.Buffer
	e := msgpack.NewEncoder(&stream)
	e.UseInternedStrings(true)
	for range 3 {
		if err := e.Encode(&Reading{Host: "web-1.example.com"}); err != nil {
			panic(err)
		}
		fmt.Println(stream.Len())
	}

	d := msgpack.NewDecoder(&stream)
	d.UseInternedStrings(true)
	for r, err := range msgpack.Values[Reading](d) {
		fmt.Println(r.Host, err)
	}
	// Output:
	// 24
	// 31
	// 38
	// web-1.example.com <nil>
	// web-1.example.com <nil>
	// web-1.example.com <nil>
}
