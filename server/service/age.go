package service

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"time"
)

// bornKey is that of a connection's deadline in its context.
type bornKey struct{}

// aging has connections end at an age, after the answer that is then due: load balancers can then
// redistribute connections. So that those of one moment do not all come back in another one, ages
// differ by a tenth.
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
