package json_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/json"
)

type durations struct {
	A time.Duration
	B *time.Duration           `json:",omitempty"`
	C []time.Duration          `json:",omitempty"`
	D map[string]time.Duration `json:",omitempty"`
	E any                      `json:",omitempty"`
	Q time.Duration            `json:",string"`
	M map[time.Duration]int    `json:",omitempty"`
}

// Durations are encoded and decoded as text only if a flag or method asks for it.
func TestDurationText(t *testing.T) {
	minute := time.Minute
	v := durations{1500 * time.Millisecond, &minute, []time.Duration{-1, 2500}, map[string]time.Duration{"a": time.Hour}, 90 * time.Second, 7, map[time.Duration]int{5: 6}}
	const text = `{"A":"1.5s","B":"1m0s","C":["-1ns","2.5µs"],"D":{"a":"1h0m0s"},"E":"1m30s","Q":"7","M":{"5":6}}`
	const number = `{"A":1500000000,"B":60000000000,"C":[-1,2500],"D":{"a":3600000000000},"E":90000000000,"Q":"7","M":{"5":6}}`
	for _, c := range []struct {
		flags json.AppendFlags
		want  string
	}{{json.DurationText, text}, {0, number}, {json.DurationText | json.EscapeHTML | json.SortMapKeys, text}} {
		if b, err := json.Append(nil, v, c.flags); err != nil || string(b) != c.want {
			t.Errorf("flags %d: %s, %v", c.flags, b, err)
		}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetDurationText(true)
	if err := e.Encode(v.C); err != nil || out.String() != "[\"-1ns\",\"2.5µs\"]\n" {
		t.Errorf("%s, %v", out.String(), err)
	}
	v.E = nil
	for _, in := range []string{text, number, strings.Replace(text, "1.5s", "1.\\u0035s", 1)} {
		var got durations
		if _, err := json.Parse([]byte(strings.Replace(strings.Replace(in, `"E":"1m30s",`, "", 1), `"E":90000000000,`, "", 1)), &got, json.UseDurationText); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		a, _ := json.Marshal(got)
		if b, _ := json.Marshal(v); !bytes.Equal(a, b) {
			t.Errorf("%s: %s, want %s", in, a, b)
		}
	}
	d := json.NewDecoder(strings.NewReader(`"2s" 5 "2" "3s"`))
	d.UseDurationText()
	for _, want := range []time.Duration{2 * time.Second, 5, 5, 3 * time.Second} {
		v := time.Duration(5)
		err := d.Decode(&v)
		var mistyped *json.UnmarshalTypeError
		if v != want || err != nil && !errors.As(err, &mistyped) {
			t.Errorf("%v, %v; want %v", v, err, want)
		}
	}
	var got durations
	if err := json.Unmarshal([]byte(text), &got); err == nil {
		t.Error("text without the flag")
	}
	var mistyped *json.UnmarshalTypeError
	if _, err := json.Parse([]byte(`{"A":"x","Q":"8"}`), &got, json.UseDurationText); !errors.As(err, &mistyped) || mistyped.Field != "A" || mistyped.Value != "string" || got.Q != 8 {
		t.Errorf("%+v, %v", mistyped, got)
	}
}
