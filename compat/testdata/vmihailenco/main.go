// Command program imports github.com/vmihailenco/msgpack/v5, and so does a library that it uses.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"reflect"
	"time"

	"example.com/telemetry"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

type reading struct {
	Host  string            `msgpack:"host"`
	Load  float64           `msgpack:"load,omitempty"`
	Tags  map[string]string `msgpack:"tags,omitempty"`
	At    time.Time         `msgpack:"at"`
	Where *telemetry.Point  `msgpack:"where"`
	Raw   msgpack.RawMessage
	Skip  int `msgpack:"-"`
}

type pair struct {
	_msgpack struct{} `msgpack:",as_array"`
	Key      string
	Value    int
}

type celsius float64

type level int

func (l level) MarshalMsgpack() ([]byte, error) {
	return msgpack.Marshal("level " + fmt.Sprint(int(l)))
}

func (l *level) UnmarshalMsgpack(b []byte) error {
	var s string
	if err := msgpack.Unmarshal(b, &s); err != nil {
		return err
	}
	_, err := fmt.Sscanf(s, "level %d", (*int)(l))
	return err
}

type id [2]byte

func (v *id) MarshalMsgpack() ([]byte, error) { return v[:], nil }

func (v *id) UnmarshalMsgpack(b []byte) error {
	copy(v[:], b)
	return nil
}

func main() {
	log.SetFlags(0)
	values()
	through()
	extensions()
	streams()
}

func values() {
	in := reading{Host: "web-1", At: time.Unix(1700000000, 0).UTC(), Where: &telemetry.Point{X: 1, Y: -2, Name: "here"}, Raw: msgpack.RawMessage{msgpcode.True}}
	data := must(msgpack.Marshal(&in))
	fmt.Printf("struct   %x\n", data)
	var out reading
	check(msgpack.Unmarshal(data, &out))
	fmt.Println("back    ", out.Host, out.At.UTC().Format(time.RFC3339), *out.Where, out.Raw, out.Skip)
	var tree any
	check(msgpack.Unmarshal(must(msgpack.Marshal(map[string]any{"n": int64(300), "list": []any{nil, true, "x"}})), &tree))
	fmt.Println("any     ", tree)
	fmt.Printf("array    %x\n", must(msgpack.Marshal(&pair{Key: "k", Value: 300})))
	fmt.Printf("level    %x\n", must(msgpack.Marshal(level(3))))
	var l level
	fmt.Println("wrong   ", msgpack.Unmarshal([]byte{msgpcode.Float}, &l), msgpack.Unmarshal([]byte{0xa1, 'x'}, new(int)))
}

func through() {
	data := must(telemetry.Pack(map[string]any{"b": 1, "a": struct {
		P *telemetry.Point `json:"p"`
	}{&telemetry.Point{Name: "inside"}}}))
	fmt.Printf("library  %x %v\n", data, telemetry.IsMap(data))
	var back struct {
		A struct {
			P telemetry.Point `json:"p"`
		} `json:"a"`
	}
	check(telemetry.Unpack(data, &back))
	fmt.Println("back    ", back.A.P)
}

func extensions() {
	msgpack.RegisterExt(7, (*id)(nil))
	data := must(msgpack.Marshal(map[string]any{"id": &id{1, 2}}))
	var tree map[string]any
	check(msgpack.Unmarshal(data, &tree))
	fmt.Printf("ext      %x %v\n", data, tree["id"])
	msgpack.UnregisterExt(7)
	fmt.Println("gone    ", msgpack.Unmarshal(data, &tree))

	msgpack.Register(celsius(0),
		func(enc *msgpack.Encoder, v reflect.Value) error { return enc.EncodeString(fmt.Sprint(v.Float(), "C")) },
		func(dec *msgpack.Decoder, v reflect.Value) error {
			s, err := dec.DecodeString()
			var f float64
			if err == nil {
				_, err = fmt.Sscanf(s, "%fC", &f)
			}
			v.SetFloat(f)
			return err
		})
	data = must(msgpack.Marshal([]celsius{21.5}))
	var c []celsius
	check(msgpack.Unmarshal(data, &c))
	fmt.Printf("register %x %v\n", data, c)
}

func streams() {
	var b bytes.Buffer
	enc := msgpack.NewEncoder(&b).SetSortMapKeys(true)
	enc.UseInternedStrings(true)
	check(enc.EncodeMulti("repeated", "repeated", map[string]any{"b": uint8(2), "a": nil}))
	fmt.Printf("interned %x\n", b.Bytes())
	dec := msgpack.NewDecoder(&b)
	dec.UseInternedStrings(true)
	one, two := must(dec.DecodeString()), must(dec.DecodeString())
	code := must(dec.PeekCode())
	fmt.Println("stream  ", one, two, msgpcode.IsFixedMap(code))
	found := must(dec.Query("b"))
	fmt.Println("query   ", found)
	_, err := dec.PeekCode()
	fmt.Println("end     ", err == io.EOF)
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
