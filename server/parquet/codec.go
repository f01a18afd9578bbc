package parquet

import (
	"fmt"
	"slices"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Codec is the compression format of pages. The zero value is Snappy.
type Codec uint8

const (
	Snappy       Codec = iota
	Zstd               // level 1; compared with Snappy, files are a quarter smaller, and compression takes 1.5 times as long
	Uncompressed       // pages are not compressed
)

var codecNames = [...]string{"snappy", "zstd", "none"}

func (c Codec) String() string {
	if int(c) < len(codecNames) {
		return codecNames[c]
	}
	return fmt.Sprintf("Codec(%d)", uint8(c))
}

// UnmarshalText reads a codec by its name: snappy, zstd or none.
func (c *Codec) UnmarshalText(text []byte) error {
	i := slices.Index(codecNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("parquet: unknown codec %q; use snappy, zstd or none", text)
	}
	*c = Codec(i)
	return nil
}

// id returns the codec's number in the format.
func (c Codec) id() int64 { return [...]int64{Snappy: 1, Zstd: 6, Uncompressed: 0}[c] }

// newZstd returns an encoder for pages. Only its EncodeAll is called, by one goroutine.
func newZstd() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false),
		zstd.WithWindowSize(1<<20))
}

// compress returns src compressed. It uses the memory of dst if the result fits into it.
func (w *writer) compress(dst, src []byte, c Codec) []byte {
	switch c {
	case Snappy:
		return s2.EncodeSnappy(dst[:cap(dst)], src)
	case Zstd:
		return w.zstd.EncodeAll(src, dst[:0])
	default:
		return src
	}
}
