package msgpack_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack"
)

// A frame consists of a length and a message. The length is prepended after the message has been
// encoded. The large body is not copied but referenced. WriteTo sends it together with the rest, by
// one writev if the destination is a network connection.
func ExampleBuffer() {
	frame := msgpack.Buffer{ReferenceMin: 1024}
	body := bytes.Repeat([]byte("body"), 1000)
	if err := msgpack.NewEncoder(&frame).Encode(map[string][]byte{"file": body}); err != nil {
		panic(err)
	}
	frame.Prepend(binary.BigEndian.AppendUint32(nil, uint32(frame.Len())))

	var connection bytes.Buffer
	n, err := frame.WriteTo(&connection)
	fmt.Println(n, err, frame.Len())
	fmt.Printf("% x …\n", connection.Bytes()[:13])
	// Output:
	// 4013 <nil> 0
	// 00 00 0f a9 81 a4 66 69 6c 65 c5 0f a0 …
}

// ReadFrom reads into the Buffer's own pages, and large values share that memory.
func ExampleBuffer_shareMin() {
	message, _ := msgpack.Marshal(map[string][]byte{"file": bytes.Repeat([]byte("body"), 1000)})
	arrives := io.MultiReader(bytes.NewReader(binary.BigEndian.AppendUint32(nil, uint32(len(message)))), bytes.NewReader(message))

	frame := msgpack.Buffer{ShareMin: 1024}
	if _, err := frame.ReadFrom(io.LimitReader(arrives, 4)); err != nil {
		panic(err)
	}
	size := int64(binary.BigEndian.Uint32(frame.Next(4)))
	if size > 1<<20 {
		panic("too large")
	}
	frame.Grow(int(size)) // in one chunk, so that the body need not be copied
	if _, err := frame.ReadFrom(io.LimitReader(arrives, size)); err != nil {
		panic(err)
	}
	var files map[string][]byte
	err := msgpack.NewDecoder(&frame).Decode(&files)
	fmt.Println(len(files["file"]), err, frame.Len())
	// Output: 4000 <nil> 0
}

// Bytes may arrive in pieces of any size, here three at a time.
func ExampleFeed() {
	var f msgpack.Feed
	stream := strings.NewReader("\x81\xa4host\xa5web-1\x81\xa4load\xcb\x3f\xe8\x00\x00\x00\x00\x00\x00")
	piece := make([]byte, 3)
	for {
		n, err := stream.Read(piece)
		f.Feed(piece[:n])
		for {
			var r Reading
			if err := f.Next(&r); err == msgpack.ErrMore {
				break
			} else if err != nil {
				panic(err)
			}
			fmt.Println(r)
		}
		if err != nil {
			fmt.Println(err, f.Len())
			break
		}
	}
	// Output:
	// {web-1 0}
	// { 0.75}
	// EOF 0
}

func ExampleValues() {
	stream := strings.NewReader("\x01\x02\x03")
	for n, err := range msgpack.Values[int](msgpack.NewDecoder(stream)) {
		fmt.Println(n, err)
	}
	// Output:
	// 1 <nil>
	// 2 <nil>
	// 3 <nil>
}

// Elements decodes a batch in one array record by record. A truncated array is an error, not a
// shorter array.
func ExampleElements() {
	stream := strings.NewReader("\x93\x81\xa4host\xa5web-1\x81\xa4host\xa5web-2")
	for r, err := range msgpack.Elements[Reading](msgpack.NewDecoder(stream)) {
		if err != nil {
			fmt.Printf("%+v\n", err)
			break
		}
		fmt.Println(r.Host)
	}
	// Output:
	// web-1
	// web-2
	// unexpected EOF in [2], at byte 25
}

func ExampleDecoder_DecodeFloat64s() {
	var loads []float64
	var nulls column.Bitmap
	d := msgpack.NewDecoder(strings.NewReader("\x93\xcb\x3f\xe8\x00\x00\x00\x00\x00\x00\xc0\x02"))
	loads, err := d.DecodeFloat64s(loads, &nulls)
	fmt.Println(loads, nulls.Get(1), err)
	// Output: [0.75 0 2] true <nil>
}
