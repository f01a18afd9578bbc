package msgpack_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack"
)

type Reading struct {
	Host string  `msgpack:"host"`
	Load float64 `msgpack:"load,omitempty"`
}

func Example() {
	data, err := msgpack.Marshal(&Reading{"web-1", 0.75})
	if err != nil {
		panic(err)
	}
	var reading Reading
	if err := msgpack.Unmarshal(data, &reading); err != nil {
		panic(err)
	}
	fmt.Println(len(data), reading)
	// Output: 26 {web-1 0.75}
}

// DecodeColumns decodes a batch into typed slices. The next batch reuses them.
func ExampleDecoder_DecodeColumns() {
	body, err := msgpack.Marshal(map[string]any{"time": []int64{1, 2}, "host": []string{"a", "b"}})
	if err != nil {
		panic(err)
	}
	var batch column.Batch
	if err := msgpack.NewDecoder(bytes.NewReader(body)).DecodeColumns(&batch); err != nil {
		panic(err)
	}
	times, hosts := batch.Find("time"), batch.Find("host")
	for i := range batch.Rows {
		fmt.Printf("%d %s\n", times.Ints[i], hosts.StringAt(i))
	}
	// Output:
	// 1 a
	// 2 b
}

// An array of any length is encoded and decoded element by element, in constant memory.
func ExampleEncoder_EncodeArrayLen() {
	var stream bytes.Buffer
	e := msgpack.NewEncoder(&stream)
	e.EncodeArrayLen(3)
	for i := range 3 {
		e.Encode(&Reading{Host: fmt.Sprint("web-", i)})
	}

	d := msgpack.NewDecoder(&stream)
	n, err := d.DecodeArrayLen()
	for range n {
		var r Reading
		if err = d.Decode(&r); err != nil {
			break
		}
		fmt.Println(r.Host)
	}
	_, end := d.PeekCode()
	fmt.Println(err, end == io.EOF)
	// Output:
	// web-0
	// web-1
	// web-2
	// <nil> true
}

// The text of an error is the same as in v5. The offset and the path are in separate fields.
func ExampleError() {
	data, _ := msgpack.Marshal(map[string]any{"rows": []any{map[string]any{"load": "high"}}})
	var into struct {
		Rows []Reading `msgpack:"rows"`
	}
	err := msgpack.Unmarshal(data, &into)
	fmt.Println(err)
	fmt.Printf("%+v\n", err)
	// Output:
	// msgpack: invalid code=a4 decoding float64
	// msgpack: invalid code=a4 decoding float64 in rows[0].load, at byte 13
}
