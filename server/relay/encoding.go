package relay

import (
	"fmt"
	"math"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/slipstream-go/slipstream/server/admission"
)

// Encoding is the compression of a body.
type Encoding uint8

const (
	Snappy Encoding = iota // block format, as the protocol requires
	Zstd                   // sent by vmagent, accepted by VictoriaMetrics
)

var encodingNames = [...]string{Snappy: "snappy", Zstd: "zstd"}

func (e Encoding) String() string { return encodingNames[e] }

// UnmarshalText sets e to the encoding with the given name.
func (e *Encoding) UnmarshalText(text []byte) error {
	for i, name := range encodingNames {
		if name == string(text) {
			*e = Encoding(i)
			return nil
		}
	}
	return fmt.Errorf("%q: use snappy or zstd", text)
}

// other returns Zstd for Snappy, and Snappy for Zstd.
func (e Encoding) other() Encoding { return 1 - e }

// compression returns the same compression as a value of package admission.
func (e Encoding) compression() admission.Compression {
	if e == Zstd {
		return admission.Zstd
	}
	return admission.Snappy
}

// decode decompresses a body that comes from the relay itself or from its queue. Such a body needs
// no size limit.
func (e Encoding) decode(src []byte) (*admission.Buffer, error) {
	return new(admission.Hold).Inflate(e.compression(), src, math.MaxInt32)
}

// zstdEncoder compresses whole bodies. It may be used by many goroutines, and starts no goroutines
// itself.
var zstdEncoder = func() *zstd.Encoder {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	if err != nil {
		panic(err) // the options are constants
	}
	return w
}()

// bound returns the maximum compressed size of n bytes.
func (e Encoding) bound(n int) int {
	if e == Zstd {
		return zstdEncoder.MaxEncodedSize(n)
	}
	return s2.MaxEncodedLen(n)
}

// encode compresses src. The result is kept until the targets have responded. So if half of the
// buffer is enough for the result, encode copies the result to a smaller buffer.
func (e Encoding) encode(src []byte) *admission.Buffer {
	b := admission.NewBuffer(e.bound(len(src)))
	if e == Zstd {
		b.B = zstdEncoder.EncodeAll(src, b.B)
	} else {
		b.B = s2.EncodeSnappy(b.B[:cap(b.B)], src)
	}
	if 2*len(b.B) > cap(b.B) {
		return b
	}
	exact := admission.NewBuffer(len(b.B))
	exact.B = append(exact.B, b.B...)
	b.Free()
	return exact
}
