package ingest

import (
	"fmt"
	"math"
	"runtime"
	"syscall"
	"time"

	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack"
)

// decoder is one way to decode a body.
type decoder struct {
	name   string
	rival  string
	decode func(body []byte) (rows int, err error)
	least  float64 // CPU seconds per million rows, of all turns
}

// newDecoders are the ways to decode a body, the one that the service is held against first.
func newDecoders() []*decoder {
	return []*decoder{
		{name: "v5 into any", rival: v5Name, decode: untyped(v5.Unmarshal), least: math.Inf(1)},
		{name: harness.Ours + " into any", decode: untyped(msgpack.Unmarshal), least: math.Inf(1)},
		{name: harness.Ours + " into columns", decode: intoColumns(), least: math.Inf(1)},
	}
}

// untyped decodes to an any.
func untyped(unmarshal func([]byte, any) error) func([]byte) (int, error) {
	return func(body []byte) (int, error) {
		var v any
		if err := unmarshal(body, &v); err != nil {
			return 0, err
		}
		envelope, _ := v.(map[string]any)
		columns, _ := envelope["columns"].(map[string]any)
		times, _ := columns["time"].([]any)
		return len(times), nil
	}
}

// intoColumns decodes to a batch that keeps its buffers, as the service does. A body of the load is
// {"m": table, "columns": {…}}, so the columns stand after three values.
func intoColumns() func([]byte) (int, error) {
	dec, batch := msgpack.NewDecoder(nil), new(column.Batch)
	return func(body []byte) (int, error) {
		dec.ResetBytes(body)
		batch.Reset()
		if _, err := dec.DecodeMapLen(); err != nil {
			return 0, err
		}
		for range 3 {
			if err := dec.Skip(); err != nil {
				return 0, err
			}
		}
		err := dec.DecodeColumns(batch)
		return batch.Rows, err
	}
}

const (
	decodingTurns = 3   // of each decoder, before the load and again after it
	decodingShare = 200 // a turn's part of the load's time
)

// measureDecoding gives each decoder its turns, in an order that rotates. As for timed cases, all
// runs on one processor.
func measureDecoding(decoders []*decoder, bodies [][]byte, turn time.Duration) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for i := range decodingTurns {
		for j := range decoders {
			d := decoders[(i+j)%len(decoders)]
			if err := d.measure(bodies, turn); err != nil {
				return fmt.Errorf("%s: %w", d.name, err)
			}
		}
	}
	return nil
}

// measure decodes all bodies again and again until it has used so much processor time.
func (d *decoder) measure(bodies [][]byte, turn time.Duration) error {
	runtime.GC() // what others left is not to be collected now
	start, err := processorTime()
	if err != nil {
		return err
	}
	for rounds := 1; ; rounds++ {
		rows := 0
		for _, body := range bodies {
			n, err := d.decode(body)
			if err != nil {
				return err
			}
			if n == 0 {
				return fmt.Errorf("decoded a body to no rows")
			}
			rows += n
		}
		now, err := processorTime()
		if err != nil {
			return err
		}
		if spent := now - start; spent >= turn {
			d.least = min(d.least, spent.Seconds()/float64(rounds*rows)*1e6)
			return nil
		}
	}
}

// processorTime is what this process has used, in all its threads: garbage collection is in it.
func processorTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("reading the processor time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
