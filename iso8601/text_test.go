package iso8601

import (
	"encoding"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

var (
	_ encoding.TextAppender    = Duration(0)
	_ encoding.TextMarshaler   = Duration(0)
	_ encoding.TextUnmarshaler = new(Duration)
)

func TestDurationText(t *testing.T) {
	type config struct {
		Timeout Duration
		Retry   *Duration         `json:",omitempty"`
		Waits   map[Duration]bool `json:",omitempty"`
	}
	const text = `{"Timeout":"PT1M30S","Waits":{"-PT1S":true}}`
	c := config{Timeout: Duration(90 * time.Second), Waits: map[Duration]bool{Duration(-time.Second): true}}
	if got, err := json.Marshal(c); err != nil || string(got) != text {
		t.Errorf("%s, error %v; want %s", got, err, text)
	}
	var back config
	if err := json.Unmarshal([]byte(text), &back); err != nil || back.Timeout != c.Timeout || !back.Waits[Duration(-time.Second)] || back.Retry != nil {
		t.Errorf("%+v, error %v", back, err)
	}
	if s := c.Timeout.String(); s != "PT1M30S" {
		t.Errorf("String is %q", s)
	}
}

func TestDurationTextErrors(t *testing.T) {
	d := Duration(time.Hour)
	for text, want := range map[string]error{"1h": ErrDuration, "P1Y": ErrCalendar, "P99999W": ErrDurationRange} {
		if err := d.UnmarshalText([]byte(text)); err != want || d != Duration(time.Hour) {
			t.Errorf("%q: %v, error %v; want %v", text, d, err, want)
		}
	}
	if err := json.Unmarshal([]byte(`"P1M"`), &d); !errors.Is(err, ErrCalendar) {
		t.Errorf("through encoding/json: error %v", err)
	}
}

// All error texts are different, and begin with the name of the package.
func TestErrors(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range []Error{ErrSyntax, ErrMonth, ErrDay, ErrHour, ErrMinute, ErrSecond, ErrZone, ErrDuration, ErrDurationRange, ErrCalendar} {
		text := e.Error()
		if seen[text] || len(text) < 20 || text[:9] != "iso8601: " {
			t.Errorf("the text %q", text)
		}
		seen[text] = true
	}
}
