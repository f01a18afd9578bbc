package load

import (
	"fmt"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// maxPlain is the maximum size of a Remote Write body after decompression.
const maxPlain = 64 << 20

// packing is a compression format for Remote Write, with the name that it has in Content-Encoding.
// Both functions use the memory of dst if it is large enough.
type packing struct {
	name   string
	pack   func(dst, plain []byte) []byte
	unpack func(dst, packed []byte) ([]byte, error)
}

// newPacking returns the packing with the given name. It is safe for concurrent use.
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

// unpackStrictly decompresses a snappy block from an untrusted sender. It rejects a block that is
// too large, or that uses an extension which only some snappy decoders support.
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
