package json_test

import (
	std "encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

// A list is decoded into a slice whose elements are pointers to that slice. Each inner list then
// sets the slice that the outer list is being decoded into. The result equals encoding/json's. If
// the inner list makes the slice too short for the outer list, encoding/json panics. Those cases
// are not compared.
func TestElementLeadsBackToItsSlice(t *testing.T) {
	if json.OnV2 {
		t.Skip("encoding/json is asked with GOEXPERIMENT=jsonv2, and panics")
	}
	target := func(length, room int) *[]any {
		list := make([]any, room)
		for i := range list {
			list[i] = &list
		}
		list = list[:length]
		return &list
	}
	for _, data := range []string{
		`[[1,2],3,[4,5]]`, `[[1,2],3]`, `[1,[2]]`, `[1,2,[3,4]]`, `[[],1,2,3]`, `[1,[]]`, `[[[1]],[[2],3]]`, `[1,2,3,[4],5,6,7]`, `[1,null]`, `[[null],2]`,
	} {
		for length := range 4 {
			want, panicked := target(length, 4), false
			var wantErr error // for values that do not fit the slice
			func() {
				defer func() { panicked = recover() != nil }()
				wantErr = std.Unmarshal([]byte(data), want)
			}()
			got := target(length, 4)
			err := json.Unmarshal([]byte(data), got)
			if panicked {
				continue
			}
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(plain(*got, got), plain(*want, want)) {
				t.Errorf("%s into a slice of %d: %v, %v, want %v, %v", data, length, plain(*got, got), err, plain(*want, want), wantErr)
			}
		}
	}
}

// plain returns list with a text in place of each pointer to self.
func plain(list []any, self *[]any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		if out[i] = v; v == any(self) {
			out[i] = "self"
		}
	}
	return out
}
