package msgpack_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/slipstream-go/slipstream/msgpack"
)

// Options limit the size of untrusted input, and reject invalid or ambiguous input.
func ExampleDecodeOptions() {
	untrusted := msgpack.DecodeOptions{
		MaxBytes: 1 << 20, MaxElements: 1000, MaxString: 16, MaxDepth: 10,
		StrictInts: true, StrictUTF8: true, UniqueKeys: true, DisallowUnknownFields: true,
	}
	for _, input := range []string{
		"\x81\xa4host\xa5web-1",
		"\x81\xa4host\xb1web-1.example.com",
		"\x82\xa4host\xa5web-1\xa4host\xa5web-2",
		"\x81\xa4port\x50",
		"\xde\xff\xff",
	} {
		var r Reading
		err := untrusted.Unmarshal([]byte(input), &r)
		fmt.Println(r.Host, err)
	}
	// Output:
	// web-1 <nil>
	//  msgpack: a string of 17 bytes is longer than MaxString, 16
	// web-1 msgpack: the key is repeated
	//  msgpack: unknown field "port"
	//  msgpack: 65535 elements are more than MaxElements, 1000
}

// The options of a stream are set once. A rejected value does not end the stream.
func ExampleDecoder_SetOptions() {
	d := msgpack.NewDecoder(strings.NewReader("\x01\xcd\x01\x2c\x03"))
	d.SetOptions(msgpack.DecodeOptions{StrictInts: true})
	for range 3 {
		var n int8
		err := d.Decode(&n)
		fmt.Println(n, err)
	}
	// Output:
	// 1 <nil>
	// 0 msgpack: the int does not fit its type: 300 into 8 bits
	// 3 <nil>
}

// With Canonical, equal values have equal encodings, which can be signed, hashed or compared.
func ExampleEncodeOptions() {
	canonical := msgpack.EncodeOptions{Canonical: true}
	a, err := canonical.Marshal(map[string]any{"host": "web-1", "cpu": int64(3), "ids": map[int]bool{2: true, 1: false}})
	if err != nil {
		panic(err)
	}
	b, err := canonical.Marshal(map[string]any{"ids": map[int]bool{1: false, 2: true}, "cpu": uint8(3), "host": "web-1"})
	fmt.Println(bytes.Equal(a, b), err)
	fmt.Printf("%q\n", a)
	// Output:
	// true <nil>
	// "\x83\xa3cpu\x03\xa3ids\x82\x01\xc2\x02ähost\xa5web-1"
}

// MarshalAppend collects values in a buffer of the caller, without another allocation.
func ExampleMarshalAppend() {
	buf := make([]byte, 0, 64)
	for _, host := range []string{"a", "b"} {
		var err error
		if buf, err = msgpack.MarshalAppend(buf, &Reading{Host: host}); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%q\n", buf)
	// Output: "\x81\xa4host\xa1a\x81\xa4host\xa1b"
}

// Entries iterates over the entries of a map, in the order of the input.
func ExampleEntries() {
	d := msgpack.NewDecoder(strings.NewReader("\x82\xa3cpu\x03\xa3mem\x05"))
	for e, err := range msgpack.Entries[string, int](d) {
		fmt.Println(e.Key, e.Value, err)
	}
	// Output:
	// cpu 3 <nil>
	// mem 5 <nil>
}
