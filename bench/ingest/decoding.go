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

// decoder is a way to decode a body.
type decoder struct {
	name   string
	rival  string
	decode func(body []byte) (rows int, err error)
	least  float64 // CPU seconds per million rows, minimum of all turns
}

// newDecoders returns the ways to decode a body. The service is compared with the first.
func newDecoders() []*decoder {
	return []*decoder{
		{name: "v5 into `any`", rival: v5Name, decode: untyped(v5.Unmarshal), least: math.Inf(1)},
		{name: harness.Ours + " into `any`", decode: untyped(msgpack.Unmarshal), least: math.Inf(1)},
		{name: harness.Ours + " into columns", decode: intoColumns(), least: math.Inf(1)},
	}
}

// untyped returns a function that decodes to an any.
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

// intoColumns returns a function that decodes to a batch with kept buffers, as the service does. A
// body of the load is {"m": table, "columns": {…}}, so three values precede the columns.
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
	decodingTurns = 3   // of each decoder, both before the load and after it
	decodingShare = 200 // the load's time is this many times longer than a turn
)

// measureDecoding gives each decoder its turns, in rotating order. Like timed cases, it uses one
// processor.
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

// measure decodes all bodies repeatedly, until it has used the CPU time of a turn.
func (d *decoder) measure(bodies [][]byte, turn time.Duration) error {
	runtime.GC() // earlier garbage must not be collected during the turn
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

// processorTime returns the CPU time that all threads of this process have used, including garbage
// collection.
func processorTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("reading the processor time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}
