package json

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/simd"
)

// Compact is correct for strings, white space and runs of backslashes that begin and end at every
// place around a block boundary. The boundaries include those at which Compact loads the next
// blocks.
func TestCompactBlocks(t *testing.T) {
	const all = keepAtOnce * simd.BlockSize
	for _, edge := range []int{simd.BlockSize, 2 * simd.BlockSize, all} {
		for at := edge - 12; at < edge+4; at++ {
			for n := range 12 {
				for _, with := range []string{" ", "\n ", `\\`, `\"`, `" "`, "{ }", `"\u005C"`, "1 , ", `"", "" ,`} {
					run := strings.Repeat(with, n)
					for _, doc := range []string{
						`"` + strings.Repeat("a", at) + run + ` "`,
						`["` + strings.Repeat("a", at) + `", ` + run + ` 1 ]`,
						`[ "` + strings.Repeat("a", at) + `" ,"` + run + ` " , 1] `,
						strings.Repeat(" ", at) + run + ` [ 1 ]`,
						`[` + strings.Repeat(" ", at) + `"` + run + ` ", "\"" ]`,
						`[` + strings.Repeat("\t", at) + run + `"", "" ]`,
					} {
						compactsAs(t, doc)
					}
				}
			}
		}
	}
}

// Compact is correct for random white space within and between random strings.
func TestCompactRandomly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	blanks := func(b []byte) []byte {
		for random.IntN(3) == 0 {
			b = append(b, " \n\t\r"[random.IntN(4)])
		}
		return append(b, strings.Repeat(" ", random.IntN(1+random.IntN(40)))...)
	}
	for range 3000 {
		b := append(blanks(nil), '[')
		for range random.IntN(40) {
			b = append(blanks(b), '"')
			for range random.IntN(1 + random.IntN(60)) {
				b = append(b, []string{" ", " ", "a", `\\`, `\\`, `\"`, "é", "<", "\u2028", "{", ",", `\u0022`}[random.IntN(12)]...)
			}
			b = append(blanks(append(b, '"')), ',')
		}
		compactsAs(t, string(append(append(blanks(b), '0'), "\n]\n"...)))
	}
}

// compactsAs compares Compact with encoding/json. It also checks that appendKept does not write
// beyond the capacity of its destination.
func compactsAs(t *testing.T, doc string) {
	t.Helper()
	src := []byte(doc)
	var got, want bytes.Buffer
	err, wantErr := Compact(&got, src), json.Compact(&want, src)
	if diff := differs(got.Bytes(), err, want.Bytes(), wantErr); diff != "" {
		t.Fatalf("%q: %s", doc, diff)
	}
	if err != nil {
		return
	}
	const before, behind = "before", "behind"
	room := []byte(before + doc + behind)
	if b := appendKept(room[:len(before):len(before)+len(doc)], src); string(b) != before+want.String() {
		t.Fatalf("%q: %q, want %q", doc, b, before+want.String())
	} else if &b[0] != &room[0] || !bytes.HasSuffix(room, []byte(behind)) {
		t.Fatalf("%q does not fit where it was", doc)
	}
}
