package relay

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// Before Open, requests get 503, and Shortage returns a reason, which /ready reports.
func TestNotReadyBeforeOpen(t *testing.T) {
	for name, q := range map[string]*QueueOptions{"without a queue": nil, "with a queue": {Dir: t.TempDir()}} {
		r, err := New(Options{Targets: []string{"http://127.0.0.1:1"}, Queue: q})
		if err != nil {
			t.Fatal(err)
		}
		agree := func(ready bool) {
			t.Helper()
			answer := httptest.NewRecorder()
			request := httptest.NewRequest(http.MethodPost, "/api/v1/push", nil)
			request.Header.Set("Content-Type", "application/x-protobuf")
			request.Header.Set("Content-Encoding", "snappy")
			r.ServeHTTP(answer, request)
			if reason := r.Shortage(); (reason == "") != ready || (answer.Code == http.StatusServiceUnavailable) == ready {
				t.Errorf("%s: %q, and a request gets %d", name, reason, answer.Code)
			}
		}
		agree(false)
		if err := r.Open(); err != nil {
			t.Fatal(err)
		}
		agree(true)
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
