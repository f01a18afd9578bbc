package load

import (
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// maxPlain is the most that a body of Remote Write may hold once it is decompressed.
const maxPlain = 64 << 20

// packing is a compression of Remote Write, by its name in Content-Encoding. Both ways use the
// memory of dst, if it is enough.
type packing struct {
	name   string
	pack   func(dst, plain []byte) []byte
	unpack func(dst, packed []byte) ([]byte, error)
}

// newPacking makes what zstd needs, which is safe for concurrent use.
func newPacking(name string) (*packing, error) {
	if name == "snappy" {
		return &packing{name, func(dst, plain []byte) []byte { return s2.EncodeSnappy(dst[:cap(dst)], plain) }, s2.Decode}, nil
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("preparing zstd: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		return nil, fmt.Errorf("preparing zstd: %w", err)
	}
	return &packing{
		name:   name,
		pack:   func(dst, plain []byte) []byte { return enc.EncodeAll(plain, dst[:0]) },
		unpack: func(dst, packed []byte) ([]byte, error) { return dec.DecodeAll(packed, dst[:0]) },
	}, nil
}

// unpackStrictly is the unpacking of a block of snappy that may come from anyone: it is refused if
// it is too large, or if it uses what only some decoders of snappy know.
func unpackStrictly(dst, packed []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(packed)
	if err == nil && n > maxPlain {
		err = snappy.ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return snappy.DecodeStrict(dst, packed)
}
