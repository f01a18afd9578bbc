package msgpack

import (
	"bytes"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
)

// The hot paths make no more than the given number of allocations.
func TestAllocations(t *testing.T) {
	if raceEnabled || !boxes || !sharedStrings {
		t.Skip("counted without the race detector, with slabs and with shared strings")
	}
	small := corpus.Small{ID: 1, Name: "a name of some length", Score: 2.5, Active: true, Tags: []string{"a", "b"}, Labels: map[string]string{"k": "v"}}
	data, err := Marshal(&small)
	if err != nil {
		t.Fatal(err)
	}
	numbers := struct {
		A []int64
		B []float64
		C int
	}{make([]int64, 100), make([]float64, 100), 7}
	numberData, _ := Marshal(&numbers)
	room := make([]byte, 0, 4096)
	d := newDecoder()
	var batch column.Batch
	body, _ := Marshal(map[string]any{"time": []int64{1, 2, 3}, "host": []string{"a", "b", "c"}, "v": []float64{1, 2, 3}})
	text, _ := Marshal("hello, world")
	for name, c := range map[string]struct {
		most float64
		run  func() error
	}{
		"MarshalAppend":           {0, func() error { _, err := MarshalAppend(room, &small); return err }},
		"Marshal":                 {1, func() error { _, err := Marshal(&small); return err }},
		"Unmarshal, reused":       {0, func() error { return Unmarshal(numberData, &numbers) }},
		"Unmarshal, fresh struct": {4.2, func() error { var s corpus.Small; return Unmarshal(data, &s) }}, // the struct, a slice, and a map of two parts
		"Skip":                    {0, func() error { d.ResetBytes(data); return d.Skip() }},
		"DecodeMapLen": {0, func() error {
			d.ResetBytes(data[:1])
			_, err := d.DecodeMapLen()
			return err
		}},
		"DecodeString": {1, func() error {
			d.ResetBytes(text)
			_, err := d.DecodeString()
			return err
		}},
		"DecodeColumns, reused": {0, func() error {
			batch.Reset()
			d.ResetBytes(body)
			return d.DecodeColumns(&batch)
		}},
		"Encoder": {0, func() error {
			e := GetEncoder()
			e.Reset(discard{})
			err := e.Encode(&small)
			PutEncoder(e)
			return err
		}},
	} {
		for range 10 {
			if err := c.run(); err != nil {
				t.Fatal(name, err)
			}
		}
		if got := testing.AllocsPerRun(200, func() { c.run() }); got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", name, got, c.most)
		}
	}
	var out bytes.Buffer
	if err := NewEncoder(&out).Encode(&small); err != nil || !bytes.Equal(out.Bytes()[:1], data[:1]) {
		t.Error(err)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
