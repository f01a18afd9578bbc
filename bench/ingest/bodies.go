package ingest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/slipstream-go/slipstream/tools/load"
)

// sampledBodies is the number of bodies that are decoded in turn. Their values do not fit into the
// caches near a processor.
const sampledBodies = 32

// sampleBodies returns the first bodies of a load, byte for byte. For this, the generator sends
// them to a server that keeps them.
func sampleBodies(ctx context.Context, what load.Options) ([][]byte, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	sending, enough := context.WithCancel(ctx)
	defer enough()
	received := make(chan []byte)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the generator has closed the connection
		}
		select {
		case received <- body:
		case <-sending.Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()

	what.URL = "http://" + listener.Addr().String()
	what.Workers, what.Pregenerate = 1, sampledBodies
	ended := make(chan struct{}) // closed after err is set
	go func() {
		defer close(ended)
		_, err = load.Run(sending, what, io.Discard)
	}()
	var bodies [][]byte
	for len(bodies) < sampledBodies {
		select {
		case body := <-received:
			bodies = append(bodies, body)
		case <-ended:
			if err == nil {
				err = context.Cause(ctx)
			}
			return nil, fmt.Errorf("the generator stopped after %d of %d bodies: %w", len(bodies), sampledBodies, err)
		}
	}
	enough()
	<-ended
	return bodies, nil
}
