package ingest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/slipstream-go/slipstream/server/load"
)

// sampledBodies is how many bodies are decoded in turn: more than a cache near the processor holds
// of their values.
const sampledBodies = 32

// sampleBodies are the first bodies of a load. To have them as they are sent, byte for byte, the
// generator sends to a server that keeps them.
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
			return // the generator has gone
		}
		select {
		case received <- body:
		case <-sending.Done():
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	go server.Serve(listener)
	defer server.Close()

	what.URL = "http://" + listener.Addr().String()
	what.Workers, what.Pregenerate = 1, sampledBodies
	sent := make(chan error, 1)
	go func() {
		_, err := load.Run(sending, what, io.Discard)
		sent <- err
	}()
	var bodies [][]byte
	for len(bodies) < sampledBodies {
		select {
		case body := <-received:
			bodies = append(bodies, body)
		case err := <-sent:
			if err == nil {
				err = context.Cause(ctx)
			}
			return nil, fmt.Errorf("the generator stopped after %d of %d bodies: %w", len(bodies), sampledBodies, err)
		}
	}
	enough()
	<-sent
	return bodies, nil
}
