package msgpack

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

func vectors(t testing.TB) []corpus.Vector {
	all, err := corpus.ReadVectors("../vectors/msgpack.txt")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every vector decodes from bytes and from streams, and can be skipped. Vectors in the shortest
// form are encoded to the same bytes.
func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		sources := map[string]*Decoder{
			"bytes":         new(Decoder),
			"bytes.Buffer":  NewDecoder(bytes.NewBuffer(bytes.Clone(v.Bytes))),
			"bytes.Reader":  NewDecoder(bytes.NewReader(v.Bytes)),
			"byte by byte":  NewDecoder(iotest.OneByteReader(bytes.NewReader(v.Bytes))),
			"data with EOF": NewDecoder(iotest.DataErrReader(bytes.NewReader(v.Bytes))),
		}
		sources["bytes"] = newDecoder()
		sources["bytes"].ResetBytes(v.Bytes)
		for name, d := range sources {
			x, err := d.DecodeInterface()
			if v.Mark == '!' {
				if err == nil || strings.TrimPrefix(err.Error(), "msgpack: ") != v.Value && !strings.HasPrefix(err.Error(), "msgpack: "+v.Value) {
					t.Errorf("line %d, %s: got %v, error %v; want error %s", v.Line, name, x, err, v.Value)
				}
				continue
			}
			if err != nil || corpus.Note(x) != v.Value {
				t.Errorf("line %d, %s: got %s, error %v; want %s", v.Line, name, corpus.Note(x), err, v.Value)
				continue
			}
			if v.Mark != '=' {
				continue
			}
			var out bytes.Buffer
			e := NewEncoder(&out)
			e.UseCompactInts(true)
			e.SetSortMapKeys(true)
			if err := e.Encode(x); err != nil || !bytes.Equal(out.Bytes(), v.Bytes) {
				t.Errorf("line %d: wrote %x, error %v; want %x", v.Line, out.Bytes(), err, v.Bytes)
			}
		}
		if next := skip(v.Bytes, 0); (v.Mark != '!') != (next == len(v.Bytes)) && !strings.Contains(v.Value, "ext") && !strings.Contains(v.Value, "length") {
			t.Errorf("line %d: skip went to %d of %d", v.Line, next, len(v.Bytes))
		}
	}
}

// Every vector that is truncated, at any byte, causes an error about the end of the input. The
// error is the same from bytes and from streams.
func TestTruncated(t *testing.T) {
	for _, v := range vectors(t) {
		if v.Mark == '!' || len(v.Bytes) > 300 {
			continue
		}
		for cut := range len(v.Bytes) {
			var fromBytes, fromStream any
			err := Unmarshal(v.Bytes[:cut], &fromBytes)
			errStream := NewDecoder(iotest.HalfReader(bytes.NewReader(v.Bytes[:cut]))).Decode(&fromStream)
			if err == nil || !strings.HasSuffix(err.Error(), "EOF") {
				t.Errorf("line %d cut at %d: %v, %v", v.Line, cut, fromBytes, err)
			}
			if errStream == nil || err.Error() != errStream.Error() {
				t.Errorf("line %d cut at %d: %v from bytes, %v from a stream", v.Line, cut, err, errStream)
			}
			if skip(v.Bytes[:cut], 0) >= 0 {
				t.Errorf("line %d cut at %d: skip saw it whole", v.Line, cut)
			}
		}
	}
}
