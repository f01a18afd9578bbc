package msgpack

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	hashicorp "github.com/hashicorp/go-msgpack/v2/codec"
	shamaton "github.com/shamaton/msgpack/v2"
	"github.com/tinylib/msgp/msgp"
	ugorji "github.com/ugorji/go/codec"
	v5 "github.com/vmihailenco/msgpack/v5"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// stream contains a library's Encoder and Decoder, which are kept and reset. Between resets, they
// process a run of values.
type stream struct {
	rival        string
	how          string
	mark         string
	resetEncoder func(io.Writer)
	encode       func(*small) error // when it returns, the writer has received the value
	flush        func() error       // at the end of a run, for libraries that write late
	resetDecoder func(io.Reader)
	decode       func(*small) error
}

const (
	streamValues = 100
	streamGroup  = "Streams of 100 small structs"
	streamBuffer = 4096 // for libraries whose buffer size can be set
	pipePiece    = 1000 // bytes per write to a pipe; values cross the boundaries of these pieces

	notePipe  = "The stream is an io.Pipe with a goroutine at its other end. The time of every library includes the work of this goroutine."
	noteWrite = notePipe + " For each value, v5 calls Write 41 times, shamaton 3 times, and the other libraries once."
	noteRead  = notePipe + " shamaton is not in this row, because it reads wrong values if a value arrives in pieces. hashicorp reads " +
		"without a buffer, because it loses all values except the first if it has a buffer."
)

func streamCases() []harness.Case {
	return []harness.Case{
		{
			Group: streamGroup, Name: "Decoder on bytes.Buffer", Bars: typedUnmarshalBars(),
			Sides: func() ([]harness.Side, error) { return decoderSides(streams(), bufferSource) },
		},
		{
			Group: streamGroup, Name: "Encoder on bytes.Buffer", Bars: typedMarshalBars(),
			Sides: func() ([]harness.Side, error) { return encoderSides(append(streams(), msgpLate()), bufferTarget) },
		},
		{
			Group: streamGroup, Name: "Decoder on a pipe", Note: noteRead,
			Sides: func() ([]harness.Side, error) {
				whole := slices.DeleteFunc(streams(), func(s stream) bool { return s.rival == shamatonName })
				return decoderSides(whole, pipeSource)
			},
		},
		{
			Group: streamGroup, Name: "Encoder on a pipe", Note: noteWrite,
			Sides: func() ([]harness.Side, error) { return encoderSides(append(streams(), msgpLate()), pipeTarget) },
		},
	}
}

// streams returns the streams of Slipstream and of every rival.
func streams() []stream {
	return []stream{oursStream(), msgpStream(), v5Stream(), shamatonStream(), ugorjiStream(), hashicorpStream()}
}

func none() error { return nil }

func v5Stream() stream {
	enc, dec := v5.NewEncoder(nil), v5.NewDecoder(nil)
	return stream{
		rival:        v5Name,
		resetEncoder: enc.Reset, encode: func(v *small) error { return enc.Encode(v) }, flush: none,
		resetDecoder: dec.Reset, decode: func(v *small) error { return dec.Decode(v) },
	}
}

func msgpStream() stream {
	enc, dec := msgp.NewWriter(nil), msgp.NewReader(nil)
	return stream{
		rival:        msgpName,
		resetEncoder: enc.Reset,
		encode: func(v *small) error {
			if err := v.EncodeMsg(enc); err != nil {
				return err
			}
			return enc.Flush()
		},
		flush:        none,
		resetDecoder: dec.Reset, decode: func(v *small) error { return v.DecodeMsg(dec) },
	}
}

// msgpLate returns msgp as it writes by default: only when its buffer is full.
func msgpLate() stream {
	s, enc := msgpStream(), msgp.NewWriter(nil)
	s.how, s.mark = "flushed once", "This variant does not flush its buffer after each value, but only at the end of the operation."
	s.resetEncoder, s.encode, s.flush = enc.Reset, func(v *small) error { return v.EncodeMsg(enc) }, enc.Flush
	return s
}

func shamatonStream() stream {
	var w io.Writer
	var r io.Reader
	return stream{
		rival:        shamatonName,
		resetEncoder: func(to io.Writer) { w = to }, encode: func(v *small) error { return shamaton.MarshalWrite(w, v) }, flush: none,
		resetDecoder: func(from io.Reader) { r = from }, decode: func(v *small) error { return shamaton.UnmarshalRead(r, v) },
	}
}

func ugorjiStream() stream {
	h := ugorjiHandle()
	h.ReaderBufferSize, h.WriterBufferSize = streamBuffer, streamBuffer
	enc, dec := ugorji.NewEncoder(io.Discard, h), ugorji.NewDecoder(new(bytes.Buffer), h)
	return stream{
		rival:        ugorjiName,
		resetEncoder: enc.Reset, encode: func(v *small) error { return enc.Encode(v) }, flush: none,
		resetDecoder: dec.Reset, decode: func(v *small) error { return dec.Decode(v) },
	}
}

func hashicorpStream() stream {
	h := hashicorpHandle()
	h.WriterBufferSize = streamBuffer
	enc, dec := hashicorp.NewEncoder(io.Discard, h), hashicorp.NewDecoder(new(bytes.Buffer), h)
	return stream{
		rival:        hashicorpName,
		resetEncoder: enc.Reset, encode: func(v *small) error { return enc.Encode(v) }, flush: none,
		resetDecoder: dec.Reset, decode: func(v *small) error { return dec.Decode(v) },
	}
}

// decoderSides returns sides that decode a run of values from a source.
func decoderSides(streams []stream, source func(data []byte) io.Reader) ([]harness.Side, error) {
	want := smallValue()
	one, err := encoded(want)
	if err != nil {
		return nil, err
	}
	data := bytes.Repeat(one, streamValues)
	var sides []harness.Side
	for _, s := range streams {
		into := new(small)
		run := func() error {
			s.resetDecoder(source(data))
			for range streamValues {
				*into = small{}
				if err := s.decode(into); err != nil {
					return err
				}
			}
			return nil
		}
		check := func() error {
			if err := run(); err != nil {
				return err
			}
			if err := same(*into, want); err != nil {
				return err
			}
			if err := s.decode(into); err == nil {
				return fmt.Errorf("more than %d values", streamValues)
			}
			return nil
		}
		sides = append(sides, harness.Side{Rival: s.rival, How: s.how, Mark: s.mark, Run: run, Check: check})
	}
	return sides, nil
}

// encoderSides returns sides that encode a run of values to a target. target returns the writer,
// and a function to call at the end.
func encoderSides(streams []stream, target func(to io.Writer) (w io.Writer, end func() error)) ([]harness.Side, error) {
	v := smallValue()
	var sides []harness.Side
	for _, s := range streams {
		write := func(to io.Writer) error {
			w, end := target(to)
			s.resetEncoder(w)
			for range streamValues {
				if err := s.encode(&v); err != nil {
					return err
				}
			}
			if err := s.flush(); err != nil {
				return err
			}
			return end()
		}
		check := func() error {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				return err
			}
			dec := v5.NewDecoder(&out)
			for range streamValues {
				var got small
				if err := dec.Decode(&got); err != nil {
					return fmt.Errorf("v5 cannot read the output: %w", err)
				}
				if err := same(got, v); err != nil {
					return err
				}
			}
			if out.Len() > 0 {
				return fmt.Errorf("%d bytes too many", out.Len())
			}
			return nil
		}
		var buffer bytes.Buffer
		run := func() error {
			buffer.Reset()
			return write(&buffer)
		}
		sides = append(sides, harness.Side{Rival: s.rival, How: s.how, Mark: s.mark, Run: run, Check: check})
	}
	return sides, nil
}

func bufferSource(data []byte) io.Reader { return bytes.NewBuffer(data) }

func bufferTarget(to io.Writer) (io.Writer, func() error) { return to, none }

// pipeSource returns a pipe that a goroutine fills with data and then closes.
func pipeSource(data []byte) io.Reader {
	r, w := io.Pipe()
	go func() {
		for len(data) > 0 {
			n := min(pipePiece, len(data))
			if _, err := w.Write(data[:n]); err != nil {
				return
			}
			data = data[n:]
		}
		w.Close()
	}()
	return r
}

// pipeTarget returns a pipe that a goroutine reads.
func pipeTarget(to io.Writer) (io.Writer, func() error) {
	r, w := io.Pipe()
	done := make(chan error)
	go func() {
		_, err := io.Copy(to, r)
		done <- err
	}()
	return w, func() error {
		w.Close()
		return <-done
	}
}
