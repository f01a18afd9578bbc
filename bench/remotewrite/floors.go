package remotewrite

import (
	"bytes"
	"errors"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/slipstream-go/slipstream/bench/harness"
)

const (
	markCopy   = "memcpy is shown for comparison: it only copies the body, and does not parse it."
	markDecode = "This code is shown for comparison: it only decompresses the body, as every receiver must, and does not parse " +
		"it."
	markRelay = "This code is shown for comparison: it only decompresses the body and compresses it again, as every relay " +
		"must, and does not parse it."
)

var errDiffers = errors.New("the bytes are not those of the body")

// floor returns a side whose output must be the body.
func floor(rival, how, mark string, body []byte, work func() ([]byte, error)) harness.Side {
	run := func() error {
		_, err := work()
		return err
	}
	check := func() error {
		got, err := work()
		if err == nil && !bytes.Equal(got, body) {
			err = errDiffers
		}
		return err
	}
	return harness.Side{Rival: rival, How: how, Mark: mark, Run: run, Check: check}
}

func copying(body []byte) harness.Side {
	room := make([]byte, len(body))
	return floor(memcpyName, "", markCopy, body, func() ([]byte, error) {
		copy(room, body)
		return room, nil
	})
}

// snappyDecoding returns a side that decodes the format that Prometheus sends: a snappy block
// without frames.
func snappyDecoding(body []byte) harness.Side {
	packed := s2.EncodeSnappy(nil, body)
	room := make([]byte, len(body))
	return floor(snappyName, "decode", markDecode, body, func() ([]byte, error) { return s2.Decode(room, packed) })
}

func zstdDecoding(body []byte) (harness.Side, error) {
	unpack, err := zstdReader(body)
	if err != nil {
		return harness.Side{}, err
	}
	return floor(zstdName, "decode", markDecode, body, unpack), nil
}

// zstdReader returns a function that decodes a body as vmagent would send it, into kept memory.
func zstdReader(body []byte) (func() ([]byte, error), error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	packed := enc.EncodeAll(body, nil)
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	room := make([]byte, 0, len(body))
	return func() (_ []byte, err error) {
		room, err = dec.DecodeAll(packed, room[:0])
		return room, err
	}, nil
}

// snappyRelaying returns the cost of a relay that does no other work.
func snappyRelaying(body []byte) harness.Side {
	packed := s2.EncodeSnappy(nil, body)
	room, out := make([]byte, len(body)), make([]byte, s2.MaxEncodedLen(len(body)))
	relay := func() (plain, again []byte, err error) {
		plain, err = s2.Decode(room, packed)
		return plain, s2.EncodeSnappy(out, plain), err
	}
	run := func() error {
		_, _, err := relay()
		return err
	}
	check := func() error {
		_, again, err := relay()
		if err != nil {
			return err
		}
		if got, err := s2.Decode(nil, again); err != nil || !bytes.Equal(got, body) {
			return errors.Join(errDiffers, err)
		}
		return nil
	}
	return harness.Side{Rival: snappyName, How: "decode and encode", Mark: markRelay, Run: run, Check: check}
}
