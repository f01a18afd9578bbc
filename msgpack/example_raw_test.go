package msgpack_test

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/slipstream-go/slipstream/msgpack"
)

// A Raw decodes only the requested parts and skips the rest. Calls can be chained, and only the
// last one returns an error if a part is missing.
func ExampleRaw() {
	data, err := msgpack.Marshal(map[string]any{
		"topic": "readings",
		"rows":  []Reading{{"web-1", 0.75}, {"web-2", 0.5}},
	})
	if err != nil {
		panic(err)
	}
	message, _, err := msgpack.NewRaw(data)
	if err != nil {
		panic(err)
	}
	topic, err := message.Get("topic").Text()
	fmt.Println(topic, err)
	for i, row := range message.Get("rows").Elements() {
		load, err := row.Get("load").Float64()
		fmt.Println(i, load, err)
	}
	var last Reading
	fmt.Println(message.Get("rows").Index(1).Decode(&last), last)
	_, err = message.Get("sender").Get("name").Text()
	fmt.Println(errors.Is(err, msgpack.ErrMissing))
	// Output:
	// readings <nil>
	// 0 0.75 <nil>
	// 1 0.5 <nil>
	// <nil> {web-2 0.5}
	// true
}

// A path that is used often is parsed once. Query returns views of the values at the path, without
// decoding them.
func ExampleRaw_Query() {
	hosts, err := msgpack.ParsePath("rows.*.host")
	if err != nil {
		panic(err)
	}
	data, err := msgpack.Marshal(map[string]any{"rows": []Reading{{"web-1", 0.75}, {"web-2", 0.5}}})
	if err != nil {
		panic(err)
	}
	for host, err := range msgpack.Raw(data).Query(hosts) {
		if err != nil {
			panic(err)
		}
		name, err := host.Bytes()
		fmt.Printf("%s %v\n", name, err)
	}
	// Output:
	// web-1 <nil>
	// web-2 <nil>
}

// Query reads one value and decodes its parts at the path. The next value is read as usual.
func ExampleDecoder_Query() {
	var stream bytes.Buffer
	e := msgpack.NewEncoder(&stream)
	if err := e.EncodeMulti([]Reading{{"web-1", 0.75}, {"web-2", 0.5}}, "the end"); err != nil {
		panic(err)
	}
	d := msgpack.NewDecoder(&stream)
	loads, err := d.Query("*.load")
	fmt.Println(loads, err)
	next, err := d.DecodeString()
	fmt.Println(next, err)
	// Output:
	// [0.75 0.5] <nil>
	// the end <nil>
}
