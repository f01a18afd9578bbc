package refusal

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/table"
)

func TestOf(t *testing.T) {
	known := New(LowDisk, "full")
	for _, c := range []struct {
		err     error
		outcome Outcome
		field   string
	}{
		{known, LowDisk, ""},
		{fmt.Errorf("part 0: %w", known), LowDisk, ""},
		{admission.ErrFull, Overloaded, ""},
		{fmt.Errorf("%w", admission.ErrShare), Overloaded, ""},
		{&table.TypeError{Column: "v"}, Invalid, "v"},
		{errors.New("other"), Invalid, ""},
	} {
		if r := Of(c.err); r.Outcome != c.outcome || r.Field != c.field || r.Row >= 0 || r.Offset >= 0 {
			t.Errorf("%v: %+v", c.err, r)
		}
	}
}

// Each outcome has its own name. Only outcomes after which a client should repeat a request have a
// Retry-After.
func TestOutcomes(t *testing.T) {
	names := make(map[string]Outcome)
	for o := range Outcomes {
		if other, ok := names[o.String()]; ok || o.String() == "" {
			t.Errorf("%d and %d are named %q", other, o, o)
		}
		names[o.String()] = o
		w := httptest.NewRecorder()
		New(o, "text").Write(w)
		if w.Code != o.Status() && o != Stored {
			t.Errorf("%v: status %d", o, w.Code)
		}
		again := o.Status() == 429 || o.Status() == 503
		if (o.RetryAfter() > 0) != again || (w.Header().Get("Retry-After") != "") != again {
			t.Errorf("%v: Retry-After %v, %q", o, o.RetryAfter(), w.Header().Get("Retry-After"))
		}
		want := map[Outcome]string{Unauthorized: access.Challenge, Forbidden: access.InsufficientScope}[o]
		if got := w.Header().Get("WWW-Authenticate"); got != want {
			t.Errorf("%v: WWW-Authenticate %q", o, got)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{Errorf("bad"), `{"error":"bad"}`},
		{Errorf("bad").In("v"), `{"error":"bad","field":"v"}`},
		{Errorf("bad").OfRow(0), `{"error":"row 0: bad","row":0}`},
		{Errorf("bad").In("v").OfRow(3).At(0), `{"error":"row 3: bad","field":"v","row":3,"offset":0}`},
		{Errorf("bad").OfRow(3).InLine(5), `{"error":"line 5: bad","row":3,"line":5}`},
	} {
		w := httptest.NewRecorder()
		c.err.Write(w)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Error != c.err.Error() {
			t.Errorf("%s: %v", w.Body, err)
		}
		if got := w.Body.String(); got != c.want+"\n" {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
