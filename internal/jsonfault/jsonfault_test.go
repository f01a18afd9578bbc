package jsonfault

import (
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"strings"
	"testing"
)

func TestPlain(t *testing.T) {
	type inner struct {
		Name  string
		Size  *uint8
		Level int8
		Since netip.Addr
		Share float64
		On    bool
		Data  []byte
		Pair  [2]int
		More  map[string]*inner
	}
	type outer struct{ Fields []inner }
	for _, c := range []struct{ doc, want string }{
		{`[]`, "got an array, want an object"},
		{`"x"`, "got a string, want an object"},
		{`{"Fields":{}}`, "Fields: got an object, want an array"},
		{`{"Fields":[{"Name":5}]}`, "Fields.Name: got a number, want a string"},
		{`{"Fields":[{"Name":true}]}`, "Fields.Name: got a bool, want a string"},
		{`{"Fields":[{"Size":"1"}]}`, "Fields.Size: got a string, want an unsigned integer of 8 bits"},
		{`{"Fields":[{"Size":-1}]}`, "Fields.Size: got -1, want an unsigned integer of 8 bits"},
		{`{"Fields":[{"Size":1.5}]}`, "Fields.Size: got 1.5, want an unsigned integer of 8 bits"},
		{`{"Fields":[{"Level":300}]}`, "Fields.Level: got 300, want an integer of 8 bits"},
		{`{"Fields":[{"Since":5}]}`, "Fields.Since: got a number, want a string"},
		{`{"Fields":[{"Share":[]}]}`, "Fields.Share: got an array, want a number"},
		{`{"Fields":[{"On":1}]}`, "Fields.On: got a number, want a bool"},
		{`{"Fields":[{"Data":1}]}`, "Fields.Data: got a number, want a string"},
		{`{"Fields":[{"Pair":1}]}`, "Fields.Pair: got a number, want an array"},
		{`{"Fields":[{"More":[]}]}`, "Fields.More: got an array, want an object"},
	} {
		err := json.Unmarshal([]byte(c.doc), new(outer))
		got := Plain(err)
		// With GOEXPERIMENT=jsonv2, the path in the original error also contains the index.
		if strings.Replace(got.Error(), ".0.", ".", 1) != c.want {
			t.Errorf("%s: %q, want %q", c.doc, got, c.want)
		}
		var mismatch *json.UnmarshalTypeError
		if !errors.As(got, &mismatch) {
			t.Errorf("%s: %v is not wrapped", c.doc, err)
		}
	}
	if got := Plain(io.EOF); got != io.EOF {
		t.Error(got)
	}
}
