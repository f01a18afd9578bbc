package relay

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Encoding is the compression of a body.
type Encoding uint8

const (
	Snappy Encoding = iota // its block format: what the protocol asks for
	Zstd                   // as vmagent sends it, and VictoriaMetrics takes it
)

var encodingNames = [...]string{Snappy: "snappy", Zstd: "zstd"}

func (e Encoding) String() string { return encodingNames[e] }

// UnmarshalText parses a name.
func (e *Encoding) UnmarshalText(text []byte) error {
	for i, name := range encodingNames {
		if name == string(text) {
			*e = Encoding(i)
			return nil
		}
	}
	return fmt.Errorf("%q: use snappy or zstd", text)
}

// other is the encoding that a body may have if it does not have this one.
func (e Encoding) other() Encoding { return 1 - e }

// errDecoded is what decode returns for more than it may give.
var errDecoded = errors.New("relay: decompressed body exceeds the maximum")

// maxExpansion is what one byte of snappy stands for at most: three bytes copy 64.
const maxExpansion = 22

// maxWindow is the history that zstd may ask for.
const maxWindow = 32 << 20

// Both work on whole bodies, from many goroutines at once, and start none.
var (
	zstdDecoder = mustMake(zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeAllCapLimit(true)))
	zstdEncoder = mustMake(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false)))
)

func mustMake[T any](v T, err error) T {
	if err != nil {
		panic(err) // constants are wrong
	}
	return v
}

// decode is what src decompresses to: at most `most` bytes. No memory is made for a body that
// cannot fill it, nor without asking take for it.
func (e Encoding) decode(src []byte, most int, take func(n int) error) (*buffer, error) {
	if e == Zstd {
		return decodeZstd(src, most, take)
	}
	n, err := s2.DecodedLen(src)
	switch {
	case err != nil:
		return nil, err
	case n > most:
		return nil, errDecoded
	case n/maxExpansion > len(src):
		return nil, s2.ErrCorrupt
	}
	b, err := takeBuffer(n, take)
	if err != nil {
		return nil, err
	}
	out, err := s2.Decode(b.b[:cap(b.b)], src)
	if err != nil {
		b.free()
		return nil, err
	}
	b.b = out
	return b, nil
}

// decodeZstd tries with the size that the first frame tells, or a guess, and then with twice as
// much: frames need not tell it, and there may be several.
func decodeZstd(src []byte, most int, take func(n int) error) (*buffer, error) {
	var head zstd.Header
	if err := head.Decode(src); err != nil {
		return nil, err
	}
	size := 8 * len(src)
	if head.HasFCS {
		if head.FrameContentSize > uint64(most) {
			return nil, errDecoded
		}
		size = int(head.FrameContentSize)
	}
	for {
		b, err := takeBuffer(min(size, most), take)
		if err != nil {
			return nil, err
		}
		room := b.b[0:0:min(cap(b.b), most)]
		out, err := zstdDecoder.DecodeAll(src, room)
		if err == nil {
			b.b = b.b[:len(out)] // which it is: with all the room that it has
			return b, nil
		}
		size = 2 * cap(b.b)
		b.free()
		switch {
		case !errors.Is(err, zstd.ErrDecoderSizeExceeded):
			return nil, err
		case cap(room) == most:
			return nil, errDecoded
		}
	}
}

// takeBuffer is a buffer with room for n bytes, if take gives the memory.
func takeBuffer(n int, take func(n int) error) (*buffer, error) {
	b := getBuffer(n)
	if err := take(cap(b.b)); err != nil {
		b.free()
		return nil, err
	}
	return b, nil
}

// bound is how much compressing n bytes may give.
func (e Encoding) bound(n int) int {
	if e == Zstd {
		return zstdEncoder.MaxEncodedSize(n)
	}
	return s2.MaxEncodedLen(n)
}

// encode is src, compressed.
func (e Encoding) encode(src []byte) *buffer {
	b := getBuffer(e.bound(len(src)))
	if e == Zstd {
		b.b = zstdEncoder.EncodeAll(src, b.b)
	} else {
		b.b = s2.EncodeSnappy(b.b[:cap(b.b)], src)
	}
	return b
}

// sniffed is the encoding that a body's first bytes announce. A snappy block may begin like a frame
// of zstd, but then says that it decompresses to 6,824 bytes.
func sniffed(body []byte) Encoding {
	if len(body) >= 4 && body[0] == 0x28 && body[1] == 0xb5 && body[2] == 0x2f && body[3] == 0xfd {
		return Zstd
	}
	return Snappy
}
