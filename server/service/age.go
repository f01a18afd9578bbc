package service

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// bornKey is the key in a connection's context for the connection's deadline.
type bornKey struct{}

// aging makes the server close old connections, so that load balancers can redistribute them. When
// a connection has reached a maximum age, the server closes it after the next response. The maximum
// age varies by up to a tenth. So connections that began at the same time do not all end at the
// same time.
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
