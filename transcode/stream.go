package transcode

// Streams. A value is gathered whole and then turned, by what AppendJSON and AppendMessagePack are
// made of. What that gives waits until the reader is asked for more, or it is much: so what comes
// in one piece goes out in one, and nothing waits for what has not come yet.

import (
	"errors"
	"io"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
)

const (
	windowSize = 32 << 10
	much       = 64 << 10 // how many bytes may wait
)

// WriteJSON writes the MessagePack values in r to w as JSON, each on its own line, until r ends. A
// value is written before r is read again. Memory is that of the current value in both forms, and
// about 100 KB.
//
// At the first invalid value it returns an *[Error], whose Offset counts from the first byte of r.
// The values before it have been written, and r may have been read further. Errors of r and w are
// returned unchanged.
func WriteJSON(w io.Writer, r io.Reader, flags Flags) error {
	p := pipe{r: r, w: w}
	d := msgpack.NewDecoder(&p)
	for {
		if _, err := d.PeekCode(); err == io.EOF {
			return p.end(nil)
		}
		at := d.InputOffset()
		raw, err := d.DecodeRawView()
		if err != nil {
			return p.end(broken(err, at))
		}
		in := reader{b: raw, flags: flags}
		out, err := in.all(p.out)
		if err != nil {
			return p.end(moved(err, at))
		}
		if err := p.put(append(out, '\n')); err != nil {
			return err
		}
	}
}

// broken is the error for a value that is not MessagePack or not whole, from err, that of a
// Decoder.
func broken(err error, at int64) error {
	e := &Error{Offset: at, Cause: err}
	errors.As(err, &e)
	if errors.Is(err, io.EOF) {
		return &Error{Offset: e.Offset, Cause: io.ErrUnexpectedEOF}
	}
	return e
}

// WriteMessagePack writes the JSON values in r to w as MessagePack, one after the other, until r
// ends. Values may be separated by line ends or other white space, or by nothing where the Decoder
// of encoding/json needs none. The time of writing, the memory and the errors are those of
// [WriteJSON].
func WriteMessagePack(w io.Writer, r io.Reader, flags Flags) error {
	p := pipe{r: r, w: w}
	d := json.NewDecoder(&p)
	d.ReuseRawMessage()
	k := packers.Get().(*packer)
	defer k.release()
	var raw json.RawMessage
	var peak buffer.Peak // of raw
	for {
		switch err := d.Decode(&raw); {
		case err == io.EOF:
			return p.end(nil)
		case err != nil:
			return p.end(k.invalid(err, d))
		}
		out, err := k.all(p.out, raw, flags)
		if err != nil {
			return p.end(moved(err, d.InputOffset()-int64(len(raw))))
		}
		if err := p.put(out); err != nil {
			return err
		}
		k.forget()
		if peak.TooLarge(len(raw), cap(raw), much) {
			raw = nil
		}
	}
}

// invalid is the error for the value that d has come to and found invalid or not whole.
func (p *packer) invalid(err error, d *json.Decoder) error {
	e := &Error{Offset: d.InputOffset(), Cause: err}
	rest, _ := io.ReadAll(d.Buffered())
	var found *Error
	if _, err := p.all(nil, rest, 0); errors.As(err, &found) {
		e.Offset += found.Offset
		e.Path = found.Path
	}
	return e
}

// moved is err, an *Error, for a value that began at this place of a stream.
func moved(err error, at int64) error {
	err.(*Error).Offset += at
	return err
}

// pipe is the reader of a stream that writes what waits before it reads. It takes as much as comes
// at once, up to its window: a decoder may ask for little.
type pipe struct {
	r        io.Reader
	w        io.Writer
	window   []byte      // nil before the first read
	in       []byte      // what was read into it and not taken yet
	out      []byte      // what waits
	peak     buffer.Peak // of out
	readErr  error       // of r, with or without bytes
	writeErr error       // of w
}

func (p *pipe) Read(b []byte) (int, error) {
	if len(p.in) == 0 && p.readErr == nil {
		if err := p.flush(); err != nil {
			return 0, err
		}
		if p.window == nil {
			p.window = make([]byte, windowSize)
		}
		var n int
		n, p.readErr = p.r.Read(p.window)
		p.in = p.window[:n]
	}
	if len(p.in) == 0 {
		return 0, p.readErr
	}
	n := copy(b, p.in)
	p.in = p.in[n:]
	return n, nil
}

// put takes out, which begins with what waits, and writes it if that is much.
func (p *pipe) put(out []byte) error {
	p.out = out
	if len(out) < much {
		return nil
	}
	return p.flush()
}

// flush writes what waits.
func (p *pipe) flush() error {
	if p.writeErr != nil || len(p.out) == 0 {
		return p.writeErr
	}
	p.writeErr = wire.WriteAll(p.w, p.out)
	if p.peak.TooLarge(len(p.out), cap(p.out), much) {
		p.out = nil
	}
	p.out = p.out[:0]
	return p.writeErr
}

// end writes what waits. It gives the error of w, or that of r if err comes from it, or else err.
func (p *pipe) end(err error) error {
	if err := p.flush(); err != nil {
		return err
	}
	if p.readErr != nil && p.readErr != io.EOF && errors.Is(err, p.readErr) {
		return p.readErr
	}
	return err
}
