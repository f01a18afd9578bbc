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
		{`[]`, "an array where an object must be"},
		{`"x"`, "a string where an object must be"},
		{`{"Fields":{}}`, "Fields: an object where an array must be"},
		{`{"Fields":[{"Name":5}]}`, "Fields.Name: a number where a string must be"},
		{`{"Fields":[{"Name":true}]}`, "Fields.Name: a bool where a string must be"},
		{`{"Fields":[{"Size":"1"}]}`, "Fields.Size: a string where an unsigned integer of 8 bits must be"},
		{`{"Fields":[{"Size":-1}]}`, "Fields.Size: -1 where an unsigned integer of 8 bits must be"},
		{`{"Fields":[{"Size":1.5}]}`, "Fields.Size: 1.5 where an unsigned integer of 8 bits must be"},
		{`{"Fields":[{"Level":300}]}`, "Fields.Level: 300 where an integer of 8 bits must be"},
		{`{"Fields":[{"Since":5}]}`, "Fields.Since: a number where a string must be"},
		{`{"Fields":[{"Share":[]}]}`, "Fields.Share: an array where a number must be"},
		{`{"Fields":[{"On":1}]}`, "Fields.On: a number where a bool must be"},
		{`{"Fields":[{"Data":1}]}`, "Fields.Data: a number where a string must be"},
		{`{"Fields":[{"Pair":1}]}`, "Fields.Pair: a number where an array must be"},
		{`{"Fields":[{"More":[]}]}`, "Fields.More: an array where an object must be"},
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
