package transcode

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack"
)

// unhex returns the bytes of a hexadecimal text such as "92 01 c0".
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// head is the content of dst before a call appends to it.
const head = "head"

// toJSON returns the text that AppendJSON appends. It also checks everything that does not depend
// on the input.
func toJSON(t testing.TB, in []byte, flags Flags) (string, error) {
	t.Helper()
	before := bytes.Clone(in)
	out, err := AppendJSON([]byte(head), in, flags)
	return appended(t, before, in, out, err)
}

// toMessagePack is like toJSON, for AppendMessagePack.
func toMessagePack(t testing.TB, in []byte, flags Flags) (string, error) {
	t.Helper()
	before := bytes.Clone(in)
	out, err := AppendMessagePack([]byte(head), in, flags)
	return appended(t, before, in, out, err)
}

func appended(t testing.TB, before, in, out []byte, err error) (string, error) {
	t.Helper()
	if !bytes.Equal(before, in) {
		t.Fatalf("%.99q: the input was changed", before)
	}
	text, ok := strings.CutPrefix(string(out), head)
	if !ok {
		t.Fatalf("%.99q: %.99q does not begin with what was there", in, out)
	}
	if err == nil {
		return text, nil
	}
	var where *Error
	if !errors.As(err, &where) || where.Cause == nil || err.Error() == "" {
		t.Fatalf("%.99q: the error is %#v", in, err)
	}
	if where.Offset < 0 || where.Offset > int64(len(in)) || text != "" {
		t.Fatalf("%.99q: %+v, and %.99q was appended", in, err, text)
	}
	return "", err
}

// marshalJSON returns the output of encoding/json for v.
func marshalJSON(t testing.TB, v any, flags Flags) string {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(flags&EscapeHTML != 0)
	if err := e.Encode(v); err != nil {
		t.Fatalf("encoding/json does not write %v: %v", v, err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var errRefused = errors.New("refused")

// badText is the output of encoding/json for an invalid UTF-8 byte. This is an escape, or with
// GOEXPERIMENT=jsonv2 the character itself.
var badText = func() string {
	b, _ := json.Marshal("\xff")
	return strings.Trim(string(b), `"`)
}()

// plainJSON is the reference for AppendJSON. It visits a value through views, and encodes each
// scalar with encoding/json.
func plainJSON(t testing.TB, v msgpack.Raw, flags Flags, depth int) (string, error) {
	switch v.Kind() {
	case msgpack.KindNil:
		return "null", nil
	case msgpack.KindBool:
		b, _ := v.Bool()
		return strconv.FormatBool(b), nil
	case msgpack.KindInt:
		if v[0] == msgpwire.Uint64 {
			u, _ := v.Uint64()
			return strconv.FormatUint(u, 10), nil
		}
		i, _ := v.Int64()
		return strconv.FormatInt(i, 10), nil
	case msgpack.KindFloat:
		f, _ := v.Float64()
		switch {
		case math.IsNaN(f) || math.IsInf(f, 0):
			if flags&NonFiniteAsNull == 0 {
				return "", errRefused
			}
			return "null", nil
		case v[0] == msgpwire.Float32:
			return marshalJSON(t, float32(f), flags), nil
		}
		return marshalJSON(t, f, flags), nil
	case msgpack.KindString:
		return plainText(t, v, flags)
	case msgpack.KindBin:
		b, _ := v.Bytes()
		return marshalJSON(t, b, flags), nil
	case msgpack.KindArray:
		if depth == maxDepth {
			return "", errRefused
		}
		out := []string{}
		for _, x := range v.Elements() {
			text, err := plainJSON(t, x, flags, depth+1)
			if err != nil {
				return "", err
			}
			out = append(out, text)
		}
		return "[" + strings.Join(out, ",") + "]", nil
	case msgpack.KindMap:
		if depth == maxDepth {
			return "", errRefused
		}
		out := []string{}
		for k, x := range v.Entries() {
			key, err := plainKey(t, k, flags)
			if err != nil {
				return "", err
			}
			text, err := plainJSON(t, x, flags, depth+1)
			if err != nil {
				return "", err
			}
			out = append(out, key+":"+text)
		}
		return "{" + strings.Join(out, ",") + "}", nil
	}
	id, data, err := v.Ext()
	if err != nil {
		t.Fatal(err)
	}
	if id == msgpwire.ExtTime {
		if at, err := v.Time(); err == nil && at.UTC().Year() >= 0 && at.UTC().Year() <= 9999 {
			return marshalJSON(t, at.UTC(), flags), nil
		}
	}
	switch {
	case flags&ExtAsObject != 0:
		return marshalJSON(t, struct {
			Type int8   `json:"type"`
			Data []byte `json:"data"`
		}{id, append([]byte{}, data...)}, flags), nil
	case flags&ExtAsNull != 0:
		return "null", nil
	}
	return "", errRefused
}

func plainText(t testing.TB, v msgpack.Raw, flags Flags) (string, error) {
	s, _ := v.Text()
	if flags&RejectInvalidUTF8 != 0 && strings.ToValidUTF8(s, "") != s {
		return "", errRefused
	}
	return marshalJSON(t, s, flags), nil
}

func plainKey(t testing.TB, v msgpack.Raw, flags Flags) (string, error) {
	switch v.Kind() {
	case msgpack.KindString, msgpack.KindBin:
		return plainText(t, v, flags)
	case msgpack.KindNil:
		return `""`, nil
	case msgpack.KindArray, msgpack.KindMap:
		return "", errRefused
	case msgpack.KindTime, msgpack.KindExt:
		return plainJSON(t, v, flags&^replacing, 0)
	}
	text, err := plainJSON(t, v, flags&^replacing, 0)
	return `"` + text + `"`, err
}

// plainMessagePack is the reference for AppendMessagePack. It reads the next value of d as tokens
// of encoding/json, and encodes them with an Encoder.
func plainMessagePack(t testing.TB, d *json.Decoder) ([]byte, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	switch v := token.(type) {
	case nil:
		err = e.EncodeNil()
	case bool:
		err = e.EncodeBool(v)
	case string:
		err = e.EncodeString(v)
	case json.Number:
		err = encodeNumber(e, string(v))
	case json.Delim:
		var body []byte
		n := 0
		for ; d.More(); n++ {
			element, err := plainMessagePack(t, d)
			if err != nil {
				return nil, err
			}
			body = append(body, element...)
		}
		if _, err := d.Token(); err != nil {
			return nil, err
		}
		if v == '{' {
			err = e.EncodeMapLen(n / 2)
		} else {
			err = e.EncodeArrayLen(n)
		}
		b.Write(body)
	}
	return b.Bytes(), err
}

func encodeNumber(e *msgpack.Encoder, s string) error {
	if u, err := strconv.ParseUint(s, 10, 64); err == nil {
		return e.EncodeUint(u)
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil && i != 0 {
		return e.EncodeInt(i)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return errRefused
	}
	return e.EncodeFloat64(f)
}

// wantMessagePack returns the result of plainMessagePack for a whole document.
func wantMessagePack(t testing.TB, in []byte) ([]byte, error) {
	if !json.Valid(in) {
		return nil, errRefused
	}
	d := json.NewDecoder(bytes.NewReader(in))
	d.UseNumber()
	return plainMessagePack(t, d)
}

// jsonValue converts a decoded value to a value that encoding/json encodes like AppendJSON. ok is
// false if JSON or encoding/json cannot represent the value, or if two keys became equal.
func jsonValue(v any) (_ any, ok bool) {
	switch v := v.(type) {
	case float32:
		return v, !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case time.Time:
		return v.UTC(), v.UTC().Year() >= 0 && v.UTC().Year() <= 9999
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			if out[i], ok = jsonValue(x); !ok {
				return nil, false
			}
		}
		return out, true
	}
	m := reflect.ValueOf(v)
	if m.Kind() != reflect.Map {
		return v, true
	}
	out := make(map[string]any)
	for all := m.MapRange(); all.Next(); {
		key := all.Key()
		if !key.CanInt() && !key.CanUint() && key.Kind() != reflect.String {
			return nil, false
		}
		name := string([]rune(key.String())) // U+FFFD for each invalid UTF-8 byte
		if key.Kind() != reflect.String {
			name = fmt.Sprint(key.Interface())
		}
		if out[name], ok = jsonValue(all.Value().Interface()); !ok {
			return nil, false
		}
	}
	return out, len(out) == m.Len()
}

// sameJSON reports whether two texts are equal. It compares numbers by their digits, and ignores
// the order of members.
func sameJSON(t testing.TB, a, b string) bool {
	return canonical(t, a) == canonical(t, b)
}

// canonical returns text with sorted keys.
func canonical(t testing.TB, text string) string {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%.99q: %v", text, err)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("%.99q goes on", text)
	}
	return marshalJSON(t, v, 0)
}
