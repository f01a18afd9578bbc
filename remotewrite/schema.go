package remotewrite

import (
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// This file contains the schemas of the messages of both versions. The comment of each table
// contains the .proto text of the message. The method check compares bytes with a table, and finds
// the invalid field.

// A kind is the type of a field's value, and determines the checks of the value.
type kind uint8

const (
	kindUnknown kind = iota // any value
	kindVarint
	kindFixed64
	kindString
	kindMessage
	kindVarints  // repeated varints, packed or one by one
	kindFixed64s // repeated fixed64 numbers, packed or one by one
	kindRef      // reference to a symbol
	kindRefs     // pairs of references to symbols, packed or one by one
)

// wireTypes contains a bit set for each kind, which defines the allowed wire types.
var wireTypes = [...]uint8{
	kindUnknown:  1<<typeVarint | 1<<typeFixed64 | 1<<typeBytes | 1<<typeGroup | 1<<typeFixed32,
	kindVarint:   1 << typeVarint,
	kindFixed64:  1 << typeFixed64,
	kindString:   1 << typeBytes,
	kindMessage:  1 << typeBytes,
	kindVarints:  1<<typeVarint | 1<<typeBytes,
	kindFixed64s: 1<<typeFixed64 | 1<<typeBytes,
	kindRef:      1 << typeVarint,
	kindRefs:     1<<typeVarint | 1<<typeBytes,
}

type field struct {
	name    string
	kind    kind
	one     bool     // a message that is not repeated, so that several fields are merged
	message *message // the message of a field of kindMessage
}

// message contains the fields of a message, indexed by field number. An entry without a name is not
// a field.
type message [18]field

// repeated returns a field for a repeated message.
func repeated(name string, m *message) field { return field{name: name, kind: kindMessage, message: m} }

// prometheus.WriteRequest, version 1:
//
//	repeated TimeSeries     timeseries = 1;
//	repeated MetricMetadata metadata   = 3;
var request1 = &message{
	1: repeated("timeseries", series1),
	3: repeated("metadata", metadata1),
}

// TimeSeries of version 1:
//
//	repeated Label     labels     = 1;
//	repeated Sample    samples    = 2;
//	repeated Exemplar  exemplars  = 3;
//	repeated Histogram histograms = 4;
var series1 = &message{
	1: repeated("labels", label1),
	2: repeated("samples", sample1),
	3: repeated("exemplars", exemplar1),
	4: repeated("histograms", histogram1),
}

// Label:
//
//	string name  = 1;
//	string value = 2;
var label1 = &message{
	1: {name: "name", kind: kindString},
	2: {name: "value", kind: kindString},
}

// Sample of version 1:
//
//	double value     = 1;
//	int64  timestamp = 2; // milliseconds
var sample1 = &message{
	1: {name: "value", kind: kindFixed64},
	2: {name: "timestamp", kind: kindVarint},
}

// Exemplar of version 1:
//
//	repeated Label labels    = 1;
//	double         value     = 2;
//	int64          timestamp = 3;
var exemplar1 = &message{
	1: repeated("labels", label1),
	2: {name: "value", kind: kindFixed64},
	3: {name: "timestamp", kind: kindVarint},
}

// MetricMetadata:
//
//	MetricType type               = 1;
//	string     metric_family_name = 2;
//	string     help               = 4;
//	string     unit               = 5;
var metadata1 = &message{
	1: {name: "type", kind: kindVarint},
	2: {name: "metric_family_name", kind: kindString},
	4: {name: "help", kind: kindString},
	5: {name: "unit", kind: kindString},
}

// Histogram of version 1:
//
//	oneof count { uint64 count_int = 1; double count_float = 2; }
//	double sum            = 3;
//	sint32 schema         = 4;
//	double zero_threshold = 5;
//	oneof zero_count { uint64 zero_count_int = 6; double zero_count_float = 7; }
//	repeated BucketSpan negative_spans  = 8;
//	repeated sint64     negative_deltas = 9;
//	repeated double     negative_counts = 10;
//	repeated BucketSpan positive_spans  = 11;
//	repeated sint64     positive_deltas = 12;
//	repeated double     positive_counts = 13;
//	ResetHint reset_hint = 14;
//	int64     timestamp  = 15;
//	repeated double custom_values = 16;
var histogram1 = &message{
	1:  {name: "count_int", kind: kindVarint},
	2:  {name: "count_float", kind: kindFixed64},
	3:  {name: "sum", kind: kindFixed64},
	4:  {name: "schema", kind: kindVarint},
	5:  {name: "zero_threshold", kind: kindFixed64},
	6:  {name: "zero_count_int", kind: kindVarint},
	7:  {name: "zero_count_float", kind: kindFixed64},
	8:  repeated("negative_spans", bucketSpan),
	9:  {name: "negative_deltas", kind: kindVarints},
	10: {name: "negative_counts", kind: kindFixed64s},
	11: repeated("positive_spans", bucketSpan),
	12: {name: "positive_deltas", kind: kindVarints},
	13: {name: "positive_counts", kind: kindFixed64s},
	14: {name: "reset_hint", kind: kindVarint},
	15: {name: "timestamp", kind: kindVarint},
	16: {name: "custom_values", kind: kindFixed64s},
}

// BucketSpan:
//
//	sint32 offset = 1;
//	uint32 length = 2;
var bucketSpan = &message{
	1: {name: "offset", kind: kindVarint},
	2: {name: "length", kind: kindVarint},
}

// io.prometheus.write.v2.Request, version 2:
//
//	repeated string     symbols    = 4; // the first is empty
//	repeated TimeSeries timeseries = 5;
var request2 = &message{
	4: {name: "symbols", kind: kindString},
	5: repeated("timeseries", series2),
}

// TimeSeries of version 2. Compared with version 1, the field numbers of exemplars and histograms
// are exchanged:
//
//	repeated uint32    labels_refs = 1; // name, value, name, value …
//	repeated Sample    samples     = 2;
//	repeated Histogram histograms  = 3;
//	repeated Exemplar  exemplars   = 4;
//	Metadata           metadata    = 5;
var series2 = &message{
	1: {name: "labels_refs", kind: kindRefs},
	2: repeated("samples", sample2),
	3: repeated("histograms", histogram2),
	4: repeated("exemplars", exemplar2),
	5: {name: "metadata", kind: kindMessage, one: true, message: metadata2},
}

// Sample of version 2: the fields of version 1, and
//
//	int64 start_timestamp = 3;
var sample2 = sample1.and(3, field{name: "start_timestamp", kind: kindVarint})

// Exemplar of version 2:
//
//	repeated uint32 labels_refs = 1;
//	double          value       = 2;
//	int64           timestamp   = 3;
var exemplar2 = &message{
	1: {name: "labels_refs", kind: kindRefs},
	2: {name: "value", kind: kindFixed64},
	3: {name: "timestamp", kind: kindVarint},
}

// Metadata of version 2:
//
//	MetricType type     = 1;
//	uint32     help_ref = 3;
//	uint32     unit_ref = 4;
var metadata2 = &message{
	1: {name: "type", kind: kindVarint},
	3: {name: "help_ref", kind: kindRef},
	4: {name: "unit_ref", kind: kindRef},
}

// Histogram of version 2: the fields of version 1, and
//
//	int64 start_timestamp = 17;
var histogram2 = histogram1.and(17, field{name: "start_timestamp", kind: kindVarint})

// and returns a copy of m with one more field.
func (m *message) and(number int, f field) *message {
	with := *m
	with[number] = f
	return &with
}

// check checks the message b[i:] against m. The argument `symbols` is the number of symbols. All
// references must be less than this number.
func (m *message) check(b []byte, i, symbols int) *fault {
	from, refs := i, 0
	for i < len(b) {
		if next := m.short(b, i, symbols); next >= 0 {
			i = next
			continue
		}
		_, next, n, f := m.field(b, i, symbols)
		if f != nil {
			m.locate(f, b, from, i)
			return f
		}
		refs += n
		i = next
	}
	if refs%2 != 0 {
		return m.odd(from)
	}
	return nil
}

// short returns the end of the field at i, if the field is valid and has the most frequent form.
// Such a field is known, contains no list of references, has a tag of one byte, and is shorter than
// 128 bytes. For any other field, short returns -1.
func (m *message) short(b []byte, i, symbols int) (next int) {
	if len(b)-i < 2 || b[i] >= 0x80 {
		return -1
	}
	f := &m[b[i]>>3]
	if b[i]&7 == typeBytes {
		next = i + 2 + int(b[i+1])
		if b[i+1] >= 0x80 || next > len(b) {
			return -1
		}
	}
	ok := false
	switch uint8(f.kind)<<3 | b[i]&7 {
	case uint8(kindVarint)<<3 | typeVarint:
		if b[i+1] < 0x80 {
			return i + 2
		}
		_, next = readVarint(b, i+1)
		return next
	case uint8(kindRef)<<3 | typeVarint:
		var ref uint
		ref, next = shortRef(b, i+1)
		ok = ref < uint(symbols)
	case uint8(kindFixed64)<<3 | typeFixed64:
		next = i + 9
		ok = next <= len(b)
	case uint8(kindString)<<3 | typeBytes:
		ok = true
	case uint8(kindMessage)<<3 | typeBytes:
		ok = f.message == bucketSpan && plainSpan(b, i+2, next) || f.message.check(b[:next], i+2, symbols) == nil
	case uint8(kindVarints)<<3 | typeBytes:
		ok = checkVarints(b[:next], i+2) == nil
	case uint8(kindFixed64s)<<3 | typeBytes:
		ok = b[i+1]%8 == 0
	}
	if !ok {
		return -1
	}
	return next
}

// plainSpan reports whether the message b[i:next] is a span of the most frequent form.
//
//	08 offset  10 length     each below 128
func plainSpan(b []byte, i, next int) bool {
	return next-i == 4 && mem.Load32(b, i)&0x80ff80ff == 0x00100008
}

// odd returns the fault for an odd number of references in a message. The argument `from` is the
// offset of the message.
func (m *message) odd(from int) *fault {
	f := &fault{at: from, cause: errOdd}
	f.path.Field(m[1].name)
	return f
}

// field checks the field at i. It returns the tag, the end of the field, and the number of
// references in the field.
func (m *message) field(b []byte, i, symbols int) (tag uint32, next, refs int, bad *fault) {
	tag, at, next := readField(b, i)
	if next < 0 {
		return 0, 0, 0, fieldFault(b, i)
	}
	number := tag >> 3
	if number >= uint32(len(m)) {
		return tag, next, 0, nil
	}
	f := &m[number]
	if wireTypes[f.kind]>>(tag&7)&1 == 0 {
		return 0, 0, 0, &fault{at: i, cause: errType}
	}
	switch f.kind {
	case kindMessage:
		bad = f.message.check(b[:next], at, symbols)
	case kindVarints:
		bad = checkVarints(b[:next], at)
	case kindFixed64s:
		if (next-at)%8 != 0 {
			bad = &fault{at: at, cause: errPacked}
		}
	case kindRefs:
		refs, bad = checkRefs(b[:next], at, symbols)
	case kindRef:
		// A missing field also means 0, so 0 is valid even if there are no symbols.
		if ref, _ := readVarint(b, at); uint32(ref) > 0 && uint64(uint32(ref)) >= uint64(symbols) {
			bad = &fault{at: at, cause: errRef}
		}
	}
	return tag, next, refs, bad
}

// checkVarints checks that b[i:] consists of complete varints. It has a fast path: if each group of
// four bytes contains the last byte of a varint, no varint is too long.
func checkVarints(b []byte, i int) *fault {
	if len(b)-i >= 4 && b[len(b)-1] < 0x80 {
		at := i
		for len(b)-at >= 4 && mem.Load32(b, at)&0x80808080 != 0x80808080 {
			at += 4
		}
		if len(b)-at < 4 {
			return nil
		}
	}
	for i < len(b) {
		_, next := readVarint(b, i)
		if next < 0 {
			return packedFault(b, i)
		}
		i = next
	}
	return nil
}

// checkRefs checks that b[i:] consists of references to symbols, and counts them.
func checkRefs(b []byte, i, symbols int) (n int, bad *fault) {
	for i < len(b) {
		ref, next := readVarint(b, i)
		if next < 0 {
			return 0, packedFault(b, i)
		}
		if uint64(uint32(ref)) >= uint64(symbols) {
			return 0, &fault{at: i, cause: errRef}
		}
		n++
		i = next
	}
	return n, nil
}

// packedFault returns the fault for a packed number at i that is incomplete or too long.
func packedFault(b []byte, i int) *fault {
	f := varintFault(b, i)
	if f.cause != errVarint {
		f.cause = errPacked
	}
	return f
}

// locate adds the name of the field at i to the path of f. If the field is repeated, it also adds
// the index. The message begins at the offset `from`. If the field has no name, locate adds no
// step.
func (m *message) locate(f *fault, b []byte, from, i int) {
	v, _ := readVarint(b, i)
	number := v >> 3
	if number >= uint64(len(m)) || m[number].kind == kindUnknown {
		return
	}
	name := m[number].name
	if m[number].kind == kindMessage && !m[number].one || name == "symbols" {
		name += "[" + strconv.Itoa(m.count(b[:i], from, uint32(number))) + "]"
	}
	f.path.Field(name)
}

// count returns the number of fields in b[i:] with the given field number.
func (m *message) count(b []byte, i int, number uint32) (n int) {
	for i < len(b) {
		tag, _, next := readField(b, i)
		if tag>>3 == number {
			n++
		}
		i = next
	}
	return n
}
