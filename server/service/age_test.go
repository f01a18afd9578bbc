package service

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A connection closes after its maximum age, and only after a response.
func TestConnectionsEndAtAnAge(t *testing.T) {
	for _, age := range []time.Duration{time.Nanosecond, time.Hour, 0} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
		aging(server.Config, age)
		server.Start()
		for range 3 {
			resp, err := server.Client().Get(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if want := age == time.Nanosecond; resp.Close != want {
				t.Errorf("at an age of %v, the connection closes: %v", age, resp.Close)
			}
		}
		server.Close()
	}
}
