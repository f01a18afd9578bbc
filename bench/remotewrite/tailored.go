package remotewrite

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"

	"github.com/prometheus/prometheus/prompb"
)

// This is a parser with the design of the article that Suite names: series from a pool, and copied
// texts. The code was written for this benchmark. It rejects input that the original misreads, or
// on which the original panics. Like the original, it skips exemplars, histograms and metadata.

var errTailored = errors.New("tailored: malformed request")

var tailoredPool = sync.Pool{New: func() any { return new(prompb.TimeSeries) }}

// tailoredUnmarshal returns series from the pool. release returns them to the pool.
func tailoredUnmarshal(b []byte) (list []*prompb.TimeSeries, release func(), err error) {
	release = func() {
		for _, s := range list {
			tailoredPool.Put(s)
		}
	}
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return list, release, errTailored
		}
		b = b[n:]
		if key>>3 != 1 {
			if b, err = tailoredSkip(key, b); err != nil {
				return list, release, err
			}
			continue
		}
		size, n := binary.Uvarint(b)
		if key&7 != 2 || n <= 0 || size > uint64(len(b)-n) {
			return list, release, errTailored
		}
		data := b[n : n+int(size)]
		b = b[n+int(size):]
		s := tailoredPool.Get().(*prompb.TimeSeries)
		list = append(list, s)
		if err := tailoredSeries(s, data); err != nil {
			return list, release, err
		}
	}
	return list, release, nil
}

func tailoredSeries(s *prompb.TimeSeries, b []byte) (err error) {
	s.Labels = s.Labels[:0]
	s.Samples = s.Samples[:0]
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errTailored
		}
		b = b[n:]
		if key>>3 > 2 {
			if b, err = tailoredSkip(key, b); err != nil {
				return err
			}
			continue
		}
		size, n := binary.Uvarint(b)
		if key&7 != 2 || n <= 0 || size > uint64(len(b)-n) {
			return errTailored
		}
		data := b[n : n+int(size)]
		b = b[n+int(size):]
		switch key >> 3 {
		case 1:
			var l prompb.Label
			if err := tailoredLabel(&l, data); err != nil {
				return err
			}
			s.Labels = append(s.Labels, l)
		case 2:
			var x prompb.Sample
			if err := tailoredSample(&x, data); err != nil {
				return err
			}
			s.Samples = append(s.Samples, x)
		default:
			return errTailored
		}
	}
	return nil
}

func tailoredLabel(l *prompb.Label, b []byte) (err error) {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errTailored
		}
		b = b[n:]
		if key>>3 > 2 {
			if b, err = tailoredSkip(key, b); err != nil {
				return err
			}
			continue
		}
		size, n := binary.Uvarint(b)
		if key&7 != 2 || n <= 0 || size > uint64(len(b)-n) {
			return errTailored
		}
		text := b[n : n+int(size)]
		b = b[n+int(size):]
		switch key >> 3 {
		case 1:
			l.Name = string(text)
		case 2:
			l.Value = string(text)
		default:
			return errTailored
		}
	}
	return nil
}

func tailoredSample(x *prompb.Sample, b []byte) (err error) {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errTailored
		}
		b = b[n:]
		switch {
		case key == 1<<3|1 && len(b) >= 8:
			x.Value = math.Float64frombits(binary.LittleEndian.Uint64(b))
			b = b[8:]
		case key == 2<<3:
			time, n := binary.Uvarint(b)
			if n <= 0 {
				return errTailored
			}
			x.Timestamp = int64(time)
			b = b[n:]
		case key>>3 > 2:
			if b, err = tailoredSkip(key, b); err != nil {
				return err
			}
		default:
			return errTailored
		}
	}
	return nil
}

// tailoredSkip skips the value of an unknown field.
func tailoredSkip(key uint64, b []byte) ([]byte, error) {
	n := 0
	switch key & 7 {
	case 0:
		_, n = binary.Uvarint(b)
	case 1:
		n = 8
	case 2:
		var size uint64
		if size, n = binary.Uvarint(b); n > 0 && size <= uint64(len(b)-n) {
			n += int(size)
		} else {
			n = 0
		}
	case 5:
		n = 4
	}
	if n <= 0 || n > len(b) || key>>3 == 0 {
		return nil, errTailored
	}
	return b[n:], nil
}

// passes returns the mark of tailored.
func (c corpus) passes() string {
	if c.rich {
		return "The parser `tailored` skips exemplars and histograms."
	}
	return ""
}

// tailoredPart returns the part of a request that the parser reads.
func tailoredPart(req *prompb.WriteRequest) *prompb.WriteRequest {
	part := new(prompb.WriteRequest)
	for _, s := range req.Timeseries {
		part.Timeseries = append(part.Timeseries, prompb.TimeSeries{Labels: s.Labels, Samples: s.Samples})
	}
	return part
}
