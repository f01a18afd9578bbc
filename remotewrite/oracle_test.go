package remotewrite

import (
	"errors"
	"math"
	"slices"
)

// This file is the reference decoder for TestMatrix. It decodes a message field by field, by the
// tables of the Protobuf encoding. It has no fast paths, no views and no reused memory.

var errOracle = errors.New("the oracle refuses the body")

// oracleBody contains the content of a body.
type oracleBody struct {
	series   []Series
	unknown  [][]byte // for each series, the raw fields that are not in the schema
	refs     []map[string]bool
	metadata []Metadata
	symbols  []string
}

// oracleField is one field of a message.
type oracleField struct {
	number, wire int
	n            uint64 // a number, or its bits
	b            []byte // the content of a length-prefixed field
	raw          []byte // the whole field
}

// oracleVarint reads a varint of at most 64 bits.
func oracleVarint(b []byte) (v uint64, rest []byte, err error) {
	for k := range b {
		if k == 10 || k == 9 && b[k] > 1 {
			break
		}
		v |= uint64(b[k]&0x7f) << (7 * k)
		if b[k] < 0x80 {
			return v, b[k+1:], nil
		}
	}
	return 0, nil, errOracle
}

// oracleFields splits a message into its fields.
func oracleFields(b []byte) (all []oracleField, err error) {
	for len(b) > 0 {
		from := b
		f, rest, err := oracleNext(b)
		if err != nil || f.number < 1 || f.number > 1<<29-1 {
			return nil, errOracle
		}
		if f.wire == 4 {
			return nil, errOracle
		}
		for open := f.wire == 3; open; {
			depth := 1
			for depth > 0 {
				var inner oracleField
				if inner, rest, err = oracleNext(rest); err != nil {
					return nil, err
				}
				switch inner.wire {
				case 3:
					depth++
				case 4:
					depth--
				}
			}
			open = false
		}
		f.raw = from[:len(from)-len(rest)]
		all = append(all, f)
		b = rest
	}
	return all, nil
}

// oracleNext reads a field. For a group, it only reads the tag.
func oracleNext(b []byte) (f oracleField, rest []byte, err error) {
	tag, b, err := oracleVarint(b)
	if err != nil {
		return f, nil, err
	}
	f.wire, f.number = int(tag&7), int(min(tag>>3, 1<<30))
	size := 0
	switch f.wire {
	case 0:
		f.n, b, err = oracleVarint(b)
		return f, b, err
	case 1:
		size = 8
	case 2:
		n, rest, err := oracleVarint(b)
		if err != nil || n > uint64(len(rest)) {
			return f, nil, errOracle
		}
		size, b = int(n), rest
	case 3, 4:
		return f, b, nil
	case 5:
		size = 4
	default:
		return f, nil, errOracle
	}
	if len(b) < size {
		return f, nil, errOracle
	}
	f.b = b[:size]
	for k := size - 1; k >= 0 && f.wire == 1; k-- {
		f.n = f.n<<8 | uint64(b[k])
	}
	return f, b[size:], nil
}

// oracleMessage calls field for each field of a message. field may return errOther for a number
// that the message does not define. Any other error ends the message.
func oracleMessage(b []byte, field func(f oracleField) error) (unknown []byte, err error) {
	all, err := oracleFields(b)
	for _, f := range all {
		if err == nil {
			if err = field(f); err == errOther {
				unknown, err = append(unknown, f.raw...), nil
			}
		}
	}
	return unknown, err
}

var errOther = errors.New("a field that the message does not have")

// must returns errOracle if ok is false.
func must(ok bool) error {
	if ok {
		return nil
	}
	return errOracle
}

// numbers reads packed numbers or a single number.
func (f oracleField) numbers(wire int) (all []uint64, err error) {
	switch {
	case f.wire == wire:
		return []uint64{f.n}, nil
	case f.wire != 2 || wire == 1 && len(f.b)%8 != 0:
		return nil, errOracle
	}
	for b := f.b; len(b) > 0 && err == nil; {
		var n uint64
		if wire == 0 {
			n, b, err = oracleVarint(b)
		} else {
			for k := 7; k >= 0; k-- {
				n = n<<8 | uint64(b[k])
			}
			b = b[8:]
		}
		all = append(all, n)
	}
	return all, err
}

func (f oracleField) float() float64 { return math.Float64frombits(f.n) }

// sint returns the zigzag-decoded value of n.
func sint(n uint64) int64 {
	if n%2 == 1 {
		return -int64(n/2) - 1
	}
	return int64(n / 2)
}

// oracleDecode reads a body.
func oracleDecode(b []byte, version Version) (*oracleBody, error) {
	o := &oracleBody{}
	own, other := false, false
	all, err := oracleFields(b)
	if err != nil {
		return nil, err
	}
	for _, f := range all { // symbols may follow the series
		if version == V2 && f.number == 4 {
			if f.wire != 2 || len(o.symbols) == 0 && len(f.b) > 0 {
				return nil, errOracle
			}
			own = true
			o.symbols = append(o.symbols, string(f.b))
		}
	}
	for _, f := range all {
		switch {
		case version == V1 && f.number == 1, version == V2 && f.number == 5:
			own = true
			if err = must(f.wire == 2); err == nil {
				err = o.addSeries(f.b, version)
			}
		case version == V1 && f.number == 3:
			own = true
			if err = must(f.wire == 2); err == nil {
				err = o.addMetadata(f.b)
			}
		case version == V1 && (f.number == 4 || f.number == 5), version == V2 && (f.number == 1 || f.number == 3):
			other = other || f.wire == 2
		}
		if err != nil {
			return nil, err
		}
	}
	return o, must(own || !other)
}

func (o *oracleBody) addMetadata(b []byte) error {
	var m Metadata
	_, err := oracleMessage(b, func(f oracleField) error {
		switch f.number {
		case 1:
			m.Type = MetricType(f.n)
			return must(f.wire == 0)
		case 2:
			m.MetricFamilyName = string(f.b)
		case 4:
			m.Help = string(f.b)
		case 5:
			m.Unit = string(f.b)
		default:
			return errOther
		}
		return must(f.wire == 2)
	})
	o.metadata = append(o.metadata, m)
	return err
}

// addSeries reads a series. The field numbers of its messages depend on the version.
func (o *oracleBody) addSeries(b []byte, version Version) error {
	var s Series
	var refs []uint64
	exemplars, histograms := 3, 4
	if version == V2 {
		exemplars, histograms = 4, 3
	}
	used := map[string]bool{"": true}
	unknown, err := oracleMessage(b, func(f oracleField) error {
		switch {
		case f.number == 1 && version == V2:
			list, err := f.numbers(0)
			refs = append(refs, list...)
			return err
		case f.number > 5 || f.number == 5 && version == V1:
			return errOther
		case f.wire != 2:
			return errOracle
		case f.number == 1:
			l, err := oracleLabel(f.b)
			s.Labels = append(s.Labels, l)
			return err
		case f.number == 2:
			sample, err := oracleSample(f.b, version)
			s.Samples = append(s.Samples, sample)
			return err
		case f.number == exemplars:
			e, err := o.exemplar(f.b, version, used)
			s.Exemplars = append(s.Exemplars, e)
			return err
		case f.number == histograms:
			h, err := oracleHistogram(f.b, version)
			s.Histograms = append(s.Histograms, h)
			return err
		}
		return o.seriesMetadata(f.b, &s.Metadata, used)
	})
	if err == nil && version == V2 {
		s.Labels, err = o.labels(refs, used)
	}
	o.series, o.unknown, o.refs = append(o.series, s), append(o.unknown, unknown), append(o.refs, used)
	return err
}

// symbol returns the text of a reference.
func (o *oracleBody) symbol(ref uint64, used map[string]bool) (string, error) {
	if uint64(uint32(ref)) >= uint64(len(o.symbols)) {
		return "", errOracle
	}
	used[o.symbols[uint32(ref)]] = true
	return o.symbols[uint32(ref)], nil
}

func (o *oracleBody) labels(refs []uint64, used map[string]bool) (all []Label, err error) {
	texts := make([]string, len(refs))
	for k, ref := range refs {
		if texts[k], err = o.symbol(ref, used); err != nil {
			return nil, err
		}
	}
	if len(refs)%2 != 0 {
		return nil, errOracle
	}
	for k := 0; k < len(texts); k += 2 {
		all = append(all, Label{texts[k], texts[k+1]})
	}
	return all, nil
}

// seriesMetadata adds a field of metadata to m.
func (o *oracleBody) seriesMetadata(b []byte, m *Metadata, used map[string]bool) error {
	_, err := oracleMessage(b, func(f oracleField) (err error) {
		text := ""
		if f.number == 3 || f.number == 4 {
			if f.wire != 0 {
				return errOracle
			}
			if uint32(f.n) != 0 {
				if text, err = o.symbol(f.n, used); err != nil {
					return err
				}
			}
		}
		switch f.number {
		case 1:
			m.Type = MetricType(f.n)
			return must(f.wire == 0)
		case 3:
			m.Help = text
		case 4:
			m.Unit = text
		default:
			return errOther
		}
		return nil
	})
	return err
}

func oracleLabel(b []byte) (l Label, err error) {
	_, err = oracleMessage(b, func(f oracleField) error {
		switch f.number {
		case 1:
			l.Name = string(f.b)
		case 2:
			l.Value = string(f.b)
		default:
			return errOther
		}
		return must(f.wire == 2)
	})
	return l, err
}

func oracleSample(b []byte, version Version) (s Sample, err error) {
	_, err = oracleMessage(b, func(f oracleField) error {
		switch {
		case f.number == 1:
			s.Value = f.float()
			return must(f.wire == 1)
		case f.number == 2:
			s.Timestamp = int64(f.n)
		case f.number == 3 && version == V2:
			s.StartTimestamp = int64(f.n)
		default:
			return errOther
		}
		return must(f.wire == 0)
	})
	return s, err
}

func (o *oracleBody) exemplar(b []byte, version Version, used map[string]bool) (e Exemplar, err error) {
	var refs []uint64
	_, err = oracleMessage(b, func(f oracleField) error {
		switch {
		case f.number == 1 && version == V2:
			list, err := f.numbers(0)
			refs = append(refs, list...)
			return err
		case f.number == 1:
			if f.wire != 2 {
				return errOracle
			}
			l, err := oracleLabel(f.b)
			e.Labels = append(e.Labels, l)
			return err
		case f.number == 2:
			e.Value = f.float()
			return must(f.wire == 1)
		case f.number == 3:
			e.Timestamp = int64(f.n)
			return must(f.wire == 0)
		}
		return errOther
	})
	if err == nil && version == V2 {
		e.Labels, err = o.labels(refs, used)
	}
	return e, err
}

func oracleHistogram(b []byte, version Version) (h Histogram, err error) {
	_, err = oracleMessage(b, func(f oracleField) error {
		buckets := &h.Negative
		if f.number >= 11 && f.number <= 13 {
			buckets = &h.Positive
		}
		switch f.number {
		case 1, 6:
			*oracleCount(&h, f.number) = IntCount(f.n)
			return must(f.wire == 0)
		case 2, 7:
			*oracleCount(&h, f.number) = Count{countFloat, f.n}
			return must(f.wire == 1)
		case 3:
			h.Sum = f.float()
			return must(f.wire == 1)
		case 4:
			h.Schema = int32(sint(uint64(uint32(f.n))))
		case 5:
			h.ZeroThreshold = f.float()
			return must(f.wire == 1)
		case 8, 11:
			s, err := oracleSpan(f.b)
			buckets.Spans = append(buckets.Spans, s)
			return errors.Join(must(f.wire == 2), err)
		case 9, 12:
			list, err := f.numbers(0)
			for _, n := range list {
				buckets.Deltas = append(buckets.Deltas, sint(n))
			}
			return err
		case 10, 13, 16:
			to := &buckets.Counts
			if f.number == 16 {
				to = &h.CustomValues
			}
			list, err := f.numbers(1)
			for _, n := range list {
				*to = append(*to, math.Float64frombits(n))
			}
			return err
		case 14:
			h.ResetHint = ResetHint(f.n)
		case 15:
			h.Timestamp = int64(f.n)
		case 17:
			if version == V1 {
				return errOther
			}
			h.StartTimestamp = int64(f.n)
		default:
			return errOther
		}
		return must(f.wire == 0)
	})
	return h, err
}

func oracleCount(h *Histogram, number int) *Count {
	if number < 6 {
		return &h.Count
	}
	return &h.ZeroCount
}

func oracleSpan(b []byte) (s BucketSpan, err error) {
	_, err = oracleMessage(b, func(f oracleField) error {
		switch f.number {
		case 1:
			s.Offset = int32(sint(uint64(uint32(f.n))))
		case 2:
			s.Length = uint32(f.n)
		default:
			return errOther
		}
		return must(f.wire == 0)
	})
	return s, err
}

// split returns the parts in the order of their first series, and the rejected series, as a
// Splitter must.
func (o *oracleBody) split(version Version, by By, accept func(key string, s *Series) bool) (parts []answerPart, rejected []answerRejection, err error) {
	if by.MaxSeries > 0 && len(o.series) > by.MaxSeries || version == V2 && by.MaxSymbols > 0 && len(o.symbols) > by.MaxSymbols {
		return nil, nil, errOracle
	}
	for n := range o.series {
		s := o.series[n]
		key, cause := "", error(nil)
		removed := map[string]bool{}
		for _, name := range by.Labels {
			var values []string
			for _, l := range s.Labels {
				if l.Name == name {
					values = append(values, l.Value)
				}
			}
			switch {
			case len(values) > 1:
				cause = ErrDuplicate
			case len(values) == 1 && (key == "" || values[0] == ""):
				key += values[0]
				removed[name] = by.Remove
			}
		}
		if key == "" {
			key = by.Default
		}
		had := len(s.Labels)
		s.Labels = slices.DeleteFunc(slices.Clone(s.Labels), func(l Label) bool { return removed[l.Name] })
		if len(s.Labels) == 0 {
			s.Labels = nil
		}
		switch {
		case cause != nil:
		case had > 0 && len(s.Labels) == 0:
			cause = ErrNoLabels
		case accept != nil && !accept(key, &o.series[n]):
			cause = errLess
		}
		if cause != nil {
			rejected = append(rejected, answerRejection{n, cause.Error()})
			continue
		}
		at := slices.IndexFunc(parts, func(p answerPart) bool { return p.Key == key })
		if at < 0 {
			at = len(parts)
			parts = append(parts, answerPart{Key: key})
		}
		parts[at].Series = append(parts[at].Series, s)
		parts[at].Unknown = append(parts[at].Unknown, string(o.unknown[n]))
	}
	if by.MaxParts > 0 && len(parts) > by.MaxParts {
		return nil, nil, errOracle
	}
	return parts, rejected, nil
}
