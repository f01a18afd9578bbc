package transcode

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/msgpack"
)

// For any bytes, AppendJSON returns the same text as plainJSON, or an error if plainJSON returns
// one. The text is valid JSON. If encoding/json can encode the value that package msgpack decodes,
// its output is equal.
func FuzzToJSON(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v, uint8(0))
		f.Add(v, uint8(ExtAsObject|NonFiniteAsNull|RejectInvalidUTF8))
	}
	f.Add(unhex(f, "84 a161 dc0002 01 cb3fb999999999999a c3 c403616263 ff d6ff00000000 a3ff3c22 91 c0"), uint8(EscapeHTML))
	f.Fuzz(func(t *testing.T, in []byte, options uint8) {
		in = guard.Test(t, in)
		flags := Flags(options) & (EscapeHTML | NonFiniteAsNull | ExtAsObject | ExtAsNull | RejectInvalidUTF8)
		got, err := toJSON(t, in, flags)
		raw, rest, rawErr := msgpack.NewRaw(in)
		want, wantErr := "", errors.Join(rawErr)
		if rawErr == nil {
			want, wantErr = plainJSON(t, raw, flags, 0)
		}
		if len(rest) > 0 && wantErr == nil {
			want, wantErr = "", errTrailing
		}
		if (err == nil) != (wantErr == nil) || got != want {
			t.Fatalf("%x, flags %d\ngot  %s, %+v\nwant %s, %v", in, flags, got, err, want, wantErr)
		}
		if err != nil {
			return
		}
		if !json.Valid([]byte(got)) {
			t.Fatalf("%x became %q", in, got)
		}
		if most := 7 + 3*int(flags&ExtAsObject/ExtAsObject); len(got) > most*len(in) {
			t.Fatalf("%x: %d bytes became %d", in, len(in), len(got))
		}
		if flags&replacing == 0 {
			decodesTo(t, in, got)
		}
		checkRoundTrips(t, got)
	})
}

// For any bytes, AppendMessagePack returns an error if encoding/json does, or if a number is out of
// range. With RejectInvalidUTF8, it also rejects invalid UTF-8. Otherwise, its result equals that
// of plainMessagePack.
func FuzzToMessagePack(f *testing.F) {
	for _, v := range vectors(f) {
		if text, err := AppendJSON(nil, v, ExtAsObject|NonFiniteAsNull); err == nil {
			f.Add(text, uint8(0))
		}
	}
	for _, text := range []string{` { "a" : [ 1 , -2.5e3 , "\u00e9\ud83d\ude00" ] , "" : null } `, `[1,2`, `"\ud800"`, "\"\xff\"", `[-0,1e400]`, `{"a":1}{}`, "[" + strings.Repeat(`{"k":[]},`, 17) + "0]"} {
		f.Add([]byte(text), uint8(RejectInvalidUTF8))
	}
	f.Fuzz(func(t *testing.T, in []byte, options uint8) {
		in = guard.Test(t, in)
		if _, err := checkToMessagePack(t, in, Flags(options)); err == nil {
			checkRoundTrips(t, string(in))
		}
	})
}

// vectors returns the bytes of all vectors that are shorter than 1000 bytes.
func vectors(t testing.TB) [][]byte {
	all, err := corpus.ReadVectors("../vectors/msgpack.txt")
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, v := range all {
		if len(v.Bytes) < 1000 {
			out = append(out, v.Bytes)
		}
	}
	return out
}
