package schema

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// parse reads b into a new value.
func (s *anySchema) parse(b []byte, o options) (v reflect.Value, rest int, err error) {
	v = reflect.New(s.typ)
	rest, err = s.parseInto(v, b, o)
	return v.Elem(), rest, err
}

func (s *anySchema) parseInto(v reflect.Value, b []byte, o options) (rest int, err error) {
	var d decoder
	d.start(b, s.pg, &o)
	i := d.run(s.pg, mem.PlaceOf(v.Elem()), 1, 0)
	if i < 0 {
		return 0, d.fault.error(0)
	}
	return len(b) - i, nil
}

func (s *anySchema) append(b []byte, v reflect.Value) ([]byte, error) {
	e := encoder{o: &defaults}
	b = e.run(s.pg, mem.PlaceOf(v), 1, b)
	if e.fault != nil {
		return nil, e.fault.error(0)
	}
	return b, nil
}

// The schema passes all test vectors of the file.
func TestVectors(t *testing.T) {
	vectors, err := corpus.ReadVectors("../vectors/schema.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		notation, want, _ := strings.Cut(v.Value, " | ")
		s, err := schemaOf(notation)
		if err != nil {
			t.Fatalf("line %d: %v", v.Line, err)
		}
		value, rest, err := s.parse(v.Bytes, defaults)
		if v.Mark == '!' {
			if got := fmt.Sprintf("%+v", err); got != want {
				t.Errorf("line %d: %s, want %s", v.Line, got, want)
			}
			continue
		}
		if err != nil || rest != 0 {
			t.Errorf("line %d: %+v, %d bytes are left", v.Line, err, rest)
			continue
		}
		if got := corpus.Note(tree(value)); got != want {
			t.Errorf("line %d: read %s, want %s", v.Line, got, want)
		}
		if b, err := s.append(nil, value); v.Mark == '=' && (err != nil || !bytes.Equal(b, v.Bytes)) {
			t.Errorf("line %d: wrote %x, %v", v.Line, b, err)
		}
	}
}
