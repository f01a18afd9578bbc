package service

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// bornKey is the key of a connection's deadline in the connection's context.
type bornKey struct{}

// aging makes the server close a connection after the first response at which the connection has
// reached a maximum age. So load balancers can redistribute connections. The maximum age varies by
// up to a tenth, so that connections that began at the same moment do not all end at the same
// moment.
func aging(s *http.Server, age time.Duration) {
	if age <= 0 {
		return
	}
	s.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, bornKey{}, time.Now().Add(age-rand.N(age/10+1)))
	}
	h := s.Handler
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if end, ok := r.Context().Value(bornKey{}).(time.Time); ok && time.Now().After(end) {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}
