package msgpack

// This file contains Encoder, which writes to an io.Writer, and Decoder, which reads from an
// io.Reader.
//
// The decoder reads from one []byte, the window. If the input is a stream and an op needs more
// bytes, the slow path of the read functions fills the window (Decoder.need). So a value is decoded
// while it arrives, and no byte is scanned twice. Offsets that ops have stored remain valid,
// because inside a value the window only grows at its end.
//
//	window   [read before | the value being read | more, when the reader may be read ahead]
//	          0            begin           i      len(b)

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Error reports a value that a decoder could not read, and its position.
//
//	type Error struct {
//		Offset int64  // of the value at fault, in bytes from the start of the input
//		Path   string // of the value at fault, as in users[3].name; empty at the top
//		Cause  error  // what is wrong
//	}
//
//	func (e *Error) Error() string                   // returns the text of Cause alone
//	func (e *Error) Unwrap() error                   // returns Cause, for errors.Is and errors.As
//	func (e *Error) Where() string                   // returns Path and Offset in words
//	func (e *Error) Format(s fmt.State, verb rune)   // prints Cause; %+v adds Where
//
// The text of an error is the same as in vmihailenco/msgpack, because programs compare error texts.
// It does not contain the position. The verb %+v adds the position, as in "msgpack: invalid code=c3
// decoding int64 in users[3].age, at byte 96". json.Error and transcode.Error are the same type.
type Error = wire.Error

const (
	sortMapKeys uint32 = 1 << iota
	arrayStructs
	compactInts
	compactFloats
	omitEmpty
	disallowUnknown
	looseInterface
	noAllocLimit
	internStrings
	knownStrings // the dict of an Encoder contains strings
	rawExt       // a Decoder decodes an ext without a registered type as an Ext
	strictInts
	strictUTF8
	uniqueKeys
	anyLength
	zeroCopy
	ownStrings
	utcTimes
	limited
	reuseBytes
	canonical // an Encoder rewrites its output in canonical form; see canonical.go

	// careful contains the decoder flags that prevent shortcuts when structs and strings are read.
	careful = internStrings | strictInts | strictUTF8 | uniqueKeys | zeroCopy | ownStrings | limited

	// interned contains the encoder flags with which strings are written by appendInterned.
	interned = internStrings | knownStrings
)

// Decoder reads MessagePack values from a stream or a []byte. It is not safe for concurrent use.
type Decoder struct {
	// b is the window: the part of the input that is in memory. The next byte to read is b[i], and
	// 0 ≤ i ≤ len(b). The decode functions use these two fields most, so they have the smallest
	// offsets.
	b []byte
	i int

	settings
	call
	source
	memory
}

// settings contains what the options of a Decoder set.
type settings struct {
	flags   uint32
	limits  limits
	plans   *planSet
	mapFunc func(*Decoder) (any, error)
}

func (s *settings) reset() { *s = settings{plans: defaultPlans, limits: noLimits} }

// call is the state of the current public call, and of the failed value before it.
type call struct {
	depth    int       // number of arrays and maps that contain the current value
	steps    int       // number of active calls for pointers and methods; see the method step
	inside   int       // number of active public calls, from begin to end; more than one inside a custom decoder
	outer    int       // 1 if the Decoder was passed to the function of an ext, whose call is counted in the field inside; otherwise 0
	credit   int       // bytes that may be allocated before the data arrives, for the current value
	start    int       // offset of the value of the current call
	dictMark int       // len(dict.own) at the start of the current value
	err      *Error    // error of the current call
	path     wire.Path // path of err; each level adds its step on return
	inner    *Error    // the last error that a call inside a user's method returned
	rest     scan      // the rest of a failed value, which must be skipped; rest.at is relative to the field i
}

// reset also drops the state of a call that did not end, for example because a user's method
// panicked.
func (c *call) reset() {
	c.err, c.inner, c.rest = nil, nil, scan{}
	c.path.Reset()
	c.depth, c.steps, c.inside, c.outer = 0, 0, 0, 0
}

// source is the origin of the window's bytes.
type source struct {
	r        io.Reader
	buf      *bytes.Buffer // r, if r is a bytes.Buffer; its bytes are the window
	chunks   *Buffer       // r, if r is a Buffer; its first bytes are the window
	base     int64         // offset of the window in the input
	lent     bool          // r is buf or chunks; at the end of a call, the bytes that were read are removed from it
	exact    bool          // no bytes may be read ahead from r
	shared   bool          // a view of the window was returned
	shareMin int           // chunks.ShareMin while the window is in a page of chunks, otherwise 0; see buffer.go
	readErr  error         // the error of r, except io.EOF
	late     error         // an error that r returned together with enough bytes; it is reported when more bytes are needed

	transient bool // r is nil, and the memory of the window will be reused, so views of it are not allowed

	own  []byte      // the memory of the window, if the Decoder owns it
	peak buffer.Peak // sizes of the window
}

// reset sets the reader, which may be nil. The memory of the window stays.
func (s *source) reset(r io.Reader) {
	s.r, s.buf, s.chunks, s.base = r, nil, nil, 0
	s.lent, s.exact, s.transient, s.shareMin = false, false, false, 0
	s.readErr, s.late = nil, nil
	switch r := r.(type) {
	case *bytes.Buffer:
		s.buf, s.lent = r, true
	case *Buffer:
		s.chunks, s.lent = r, true
	case io.ByteScanner:
		s.exact = true
	}
}

// memory contains the memory that a Decoder keeps for later values, and the interned strings.
type memory struct {
	strings buffer.Strings
	keys    *buffer.Recent // cache of map keys
	values  *buffer.Recent // cache of the strings in long lists
	numbers buffer.Slab[uint64]
	texts   buffer.Slab[string]
	dict    decoderDict
}

// readAhead is the minimum number of bytes requested from a reader at a time.
const readAhead = 4 << 10

// idleMax is the number of consecutive reads that may return neither bytes nor an error.
const idleMax = 100

// ownMax is the maximum capacity of a window that a decoder keeps for reuse.
const ownMax = 32 << 10

// keysMax is the maximum capacity of the list of keys that an encoder keeps.
const keysMax = 1 << 10

// streamCredit is the number of bytes that may be allocated for a value from a stream before the
// value's data arrives.
const streamCredit = 64 << 10

// NewDecoder returns a decoder that reads from r. If r is an io.ByteScanner, such as a
// *bytes.Buffer or a *bufio.Reader, the decoder reads no byte after the value. From any other
// reader, it reads ahead up to 4 KB.
func NewDecoder(r io.Reader) *Decoder {
	d := newDecoder()
	d.Reset(r)
	return d
}

func newDecoder() *Decoder {
	d := new(Decoder)
	d.settings.reset()
	if sharedStrings {
		d.strings.Size = buffer.ChunkSize
	}
	return d
}

var decoders = sync.Pool{New: func() any { return newDecoder() }}

// GetDecoder returns a decoder from a pool. The decoder has the options with which it was returned
// to the pool, so call Reset or ResetBytes first.
func GetDecoder() *Decoder { return decoders.Get().(*Decoder) }

// PutDecoder returns d to the pool. It removes the interned strings, the reader, and a buffer of
// more than 32 KB from d. The caller must not use d afterwards.
func PutDecoder(d *Decoder) {
	if cap(d.own) > ownMax {
		d.own = nil
	}
	d.forgetDict()
	d.mapFunc = nil
	d.setInput(nil, nil)
	decoders.Put(d)
}

// Reset makes d read from r, and sets all options to their defaults.
func (d *Decoder) Reset(r io.Reader) {
	d.settings.reset()
	d.ResetReader(r)
}

// ResetReader makes d read from r. It keeps the options of d, except the map decoder.
func (d *Decoder) ResetReader(r io.Reader) {
	d.mapFunc = nil
	d.shrink()
	d.setInput(nil, r)
	if r != nil && !d.lent {
		d.b = d.own
	}
}

// ResetBytes makes d read from data, and sets all options to their defaults. The contents of data
// must not change until the last value has been decoded.
func (d *Decoder) ResetBytes(data []byte) {
	d.settings.reset()
	d.setInput(data, nil)
}

// setInput sets the window and the reader. It drops the interned strings, and the state of the
// previous input.
func (d *Decoder) setInput(b []byte, r io.Reader) {
	d.b, d.i = b, 0
	d.source.reset(r)
	d.call.reset()
	if d.dict.size() > 0 {
		d.dict.reset(nil)
	}
}

// begin starts a public call, and returns the offset of the value that the call reads.
func (d *Decoder) begin() int {
	d.inside++
	if d.inside > 1 {
		return d.i
	}
	d.depth, d.steps = 0, 0
	d.credit = streamCredit
	switch {
	case d.r == nil:
		d.credit += 32 * (len(d.b) - d.i)
	case d.buf != nil:
		d.b, d.i = d.buf.Bytes(), 0
		d.credit += 32 * len(d.b)
	case d.chunks != nil:
		d.shrink()
		d.chunks.lend(d)
	case d.i > 0:
		d.slide()
	}
	if d.rest != (scan{}) {
		d.catchUp()
	}
	if d.flags&noAllocLimit != 0 {
		d.credit = int(^uint(0) >> 1)
	}
	d.start, d.dictMark = d.i, len(d.dict.own)
	return d.i
}

// slide removes bytes that have been read from the window, if they are at least half of the window.
// It replaces a large window by a small one if recent values have not needed a large window.
func (d *Decoder) slide() {
	if cap(d.own) > ownMax && d.peak.TooLarge(len(d.b), cap(d.own), ownMax) {
		d.base += int64(d.i)
		d.b = append(make([]byte, 0, len(d.b)-d.i+readAhead), d.b[d.i:]...)
		d.own, d.i = d.b, 0
	} else if d.i >= len(d.b)-d.i {
		d.base += int64(d.i)
		d.b = d.b[:copy(d.b, d.b[d.i:])]
		d.own, d.i = d.b, 0
	}
}

// shrink empties the memory of the window, which must not be in use. It drops the memory if recent
// values have not needed it.
func (d *Decoder) shrink() {
	if cap(d.own) > ownMax && d.peak.TooLarge(len(d.own), cap(d.own), ownMax) {
		d.own = nil
	}
	d.own = d.own[:0]
}

// end ends a public call whose value started at the offset `mark`. The argument `next` is the
// offset after the value, or -1 if the call failed.
func (d *Decoder) end(mark, next int) error {
	d.inside--
	if next < 0 {
		return d.endFailed(mark)
	}
	if d.flags&limited != 0 && next-mark > d.limits.bytes {
		d.fail(mark, errTooLarge)
		return d.endFailed(mark)
	}
	d.i = next
	if d.lent && d.inside == 0 {
		d.giveBack(next)
	}
	return nil
}

// endFailed ends a failed call and returns its error. If the input ends before the value starts,
// the error is io.EOF itself.
//
// The decoder continues after the failed value. The part of this value that is not buffered is
// skipped before the next value (catchUp). Inside a user's method, a failed call does not advance
// the decoder, so the method may try another call.
func (d *Decoder) endFailed(mark int) error {
	e := d.err
	clean := e == nil || e.Cause == io.EOF && e.Offset == d.base+int64(mark) && len(d.b) == mark
	if !clean {
		e.Path = d.path.String()
	}
	d.err = nil
	d.path.Reset()
	if d.i = mark; d.inside == 0 {
		d.goOn(mark, e)
	}
	if clean {
		return io.EOF
	}
	if d.inside > 0 {
		d.inner = e
	}
	return e
}

// goOn skips the value at the offset `mark`, which could not be decoded because of the error e. At
// the end of the input, e is nil. An incomplete value ends at the end of the input.
func (d *Decoder) goOn(mark int, e *Error) {
	if d.rest != (scan{}) { // the previous failed value is not skipped yet
		if d.lent {
			d.giveBack(d.i)
		}
		return
	}
	if len(d.b) == mark || d.readErr != nil && d.readErr != errTooLarge && e != nil && errors.Is(e, d.readErr) {
		// No byte of the value has arrived, or the reader failed, for example because of a
		// deadline. The next call reads the same value.
		if d.lent {
			d.giveBack(mark)
		}
		return
	}
	if d.chunks != nil && (e == nil || e.Cause == io.EOF || e.Cause == io.ErrUnexpectedEOF) && d.pass(mark) < 0 {
		d.err = nil
		d.giveBackFrom(mark)
		return
	}
	if e != nil && d.flags&internStrings != 0 {
		// All strings of the value must join the dict, even strings that were not read.
		if next := d.pass(mark); next >= 0 {
			d.joinFrom(int(e.Offset-d.base), next)
		}
		d.err = nil
	}
	d.rest = scan{uint64(mark), 1}
	known := d.passOver()
	if d.r == nil {
		d.rest = scan{} // no more bytes will arrive
	}
	if d.lent {
		n := d.i
		if d.chunks != nil && !known {
			n = d.chunks.Len()
		}
		d.giveBack(n)
	}
}

// passOver skips the buffered part of d.rest. If this part contains an undefined code, the start of
// the next value is unknown. In this case, passOver skips all buffered bytes and returns false.
func (d *Decoder) passOver() bool {
	known := d.rest.over(d.b, 1<<62) == foundMore
	if !known {
		d.rest = scan{uint64(len(d.b)), 0}
	}
	d.i = int(min(d.rest.at, uint64(len(d.b))))
	d.rest.at -= uint64(d.i)
	return known
}

// catchUp skips the rest of a value that failed. If the input ends or the reader fails before the
// end of the value, catchUp keeps d.rest. Then the current call fails, and the next call tries
// again.
func (d *Decoder) catchUp() {
	flags := d.flags
	d.flags &^= limited // the limits do not apply to skipped bytes
	defer func() { d.flags = flags }()
	for {
		d.rest.at += uint64(d.i)
		d.passOver()
		if d.rest.whole(0) {
			d.rest = scan{}
			return
		}
		switch {
		case d.chunks != nil && d.i > 0 && d.chunks.Len() > 0:
			d.giveBack(d.i)
			d.chunks.lend(d)
			continue
		case !d.lent:
			d.slide()
		}
		if d.buf != nil || !d.fillMore(d.i, len(d.b)-d.i+1, 0) {
			return
		}
	}
}

// need ensures that n bytes from offset i are buffered, and reports whether they are.
func (d *Decoder) need(i, n int) bool {
	if n <= len(d.b)-i {
		return true
	}
	return d.r != nil && d.buf == nil && d.fill(i, n)
}

// fill reads until n bytes from offset i are buffered. If the rest of an earlier value must still
// be skipped, it returns false.
//
//go:noinline
func (d *Decoder) fill(i, n int) bool { return d.rest == (scan{}) && d.fillMore(i, n, 0) }

// fillMore is like fill, but also reads if the rest of an earlier value must be skipped. The window
// doubles as data arrives, regardless of n. It may request more than n bytes in one read, but at
// most `most` bytes.
func (d *Decoder) fillMore(i, n, most int) bool {
	d.readErr = nil
	if d.flags&limited != 0 && uint(i)+uint(n)-uint(d.start) > uint(d.limits.bytes) {
		d.readErr = errTooLarge
		return false
	}
	if d.chunks != nil {
		return d.gather(i, n)
	}
	for idle := 0; n > len(d.b)-i; {
		if d.late != nil {
			d.readErr, d.late = d.late, nil
			return false
		}
		ask := max(n, most) - (len(d.b) - i)
		if !d.exact {
			ask = max(ask, readAhead)
		}
		ask = min(ask, max(len(d.b), readAhead))
		if ask > cap(d.b)-len(d.b) {
			d.b = append(make([]byte, 0, 2*len(d.b)+ask), d.b...)
		}
		have := len(d.b)
		k, err := d.r.Read(d.b[have : have+ask])
		if uint(k) > uint(ask) {
			k, err = 0, errReadCount
		}
		d.b = d.b[:have+k]
		d.own = d.b
		if k == 0 && err == nil {
			if idle++; idle == idleMax {
				err = io.ErrNoProgress
			}
		} else if k > 0 {
			idle = 0
		}
		if err != nil {
			enough := n <= len(d.b)-i
			switch {
			case err == io.EOF:
			case enough:
				d.late = err // r may not return it again
			default:
				d.readErr = err
			}
			return enough
		}
	}
	return true
}

// SetCustomStructTag sets the key of a second struct tag. For fields without a msgpack tag, d reads
// this tag instead.
func (d *Decoder) SetCustomStructTag(tag string) { d.plans = plansFor(d.plans.tagged(tag)) }

func (d *Decoder) set(flag uint32, on bool) {
	d.flags &^= flag
	if on {
		d.flags |= flag
	}
}

// DisallowUnknownFields makes d return an error for a map key that matches no field of the struct.
func (d *Decoder) DisallowUnknownFields(on bool) { d.set(disallowUnknown, on) }

// UseLooseInterfaceDecoding changes how d decodes values into type any. Ints become int64, or
// uint64 if they have an unsigned code of 8 to 64 bits. Floats become float64, and bin becomes
// string.
func (d *Decoder) UseLooseInterfaceDecoding(on bool) { d.set(looseInterface, on) }

// ReuseBytes makes d overwrite the bytes of a []byte in the target. See [DecodeOptions.ReuseBytes].
func (d *Decoder) ReuseBytes(on bool) { d.set(reuseBytes, on) }

// UsePreallocateValues has no effect. It exists only for compatibility with vmihailenco/msgpack.
func (d *Decoder) UsePreallocateValues(bool) {}

// DisableAllocLimit makes d trust the lengths and counts in the input: it allocates memory for them
// before it has read the data. Then a few bytes of input can cause the allocation of gigabytes.
func (d *Decoder) DisableAllocLimit(on bool) { d.set(noAllocLimit, on) }

// SetMapDecoder sets the function that decodes maps into targets of type any. The function fn must
// read the whole map from its decoder. The target is set to the result of fn.
func (d *Decoder) SetMapDecoder(fn func(*Decoder) (any, error)) { d.mapFunc = fn }

// InputOffset returns the number of bytes that have been decoded or skipped since the last Reset.
func (d *Decoder) InputOffset() int64 { return d.base + int64(d.i) }

// Encoder writes MessagePack values to a stream. Each public call makes one call of Write. If Write
// writes only a part of its argument but returns no error, the public call returns
// io.ErrShortWrite. An Encoder is not safe for concurrent use.
type Encoder struct {
	b      []byte
	peak   buffer.Peak // sizes of b
	flags  uint32
	depth  int
	inside int
	w      io.Writer
	err    error
	plans  *planSet
	keys   []string    // sorted keys of the maps that are being written
	most   buffer.Peak // sizes of keys
	word   mem.Raw     // copy of an interface's data word that contains the value itself

	references   []reference // values that w will refer to, in order
	referenceMin int         // minimum size of a reference, or 0 for none; see buffer.go
	dict         encoderDict
}

// NewEncoder returns an encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder {
	e := newEncoder()
	e.Reset(w)
	return e
}

func newEncoder() *Encoder { return &Encoder{plans: defaultPlans} }

var encoders = sync.Pool{New: func() any { return newEncoder() }}

// GetEncoder returns an encoder from a pool. The encoder has the options with which it was returned
// to the pool, so call Reset first.
func GetEncoder() *Encoder { return encoders.Get().(*Encoder) }

// PutEncoder returns e to the pool. It removes the interned strings, the writer, and memory of more
// than 32 KB from e. The caller must not use e afterwards.
func PutEncoder(e *Encoder) {
	if cap(e.b) > ownMax {
		e.b = nil
	}
	clear(e.keys) // keys of a call that did not end
	if cap(e.keys) > keysMax {
		e.keys = nil
	}
	e.b, e.w, e.err, e.word, e.keys = e.b[:0], nil, nil, nil, e.keys[:0]
	e.references, e.referenceMin = nil, 0
	e.forgetDict()
	encoders.Put(e)
}

// Reset makes e write to w, and sets all options to their defaults.
func (e *Encoder) Reset(w io.Writer) {
	e.flags, e.plans = 0, defaultPlans
	e.ResetWriter(w)
}

// ResetWriter makes e write to w, and keeps the options of e.
func (e *Encoder) ResetWriter(w io.Writer) {
	e.b, e.w, e.err, e.depth, e.inside = e.b[:0], w, nil, 0, 0
	e.references, e.referenceMin = nil, 0
	if w, ok := w.(*Buffer); ok {
		e.referenceMin = w.ReferenceMin
	}
	e.setDict(nil)
}

// Writer returns the writer of e. In a custom encoder, bytes written to this writer become part of
// the value.
func (e *Encoder) Writer() io.Writer {
	if e.inside > 0 {
		return (*inlay)(e)
	}
	return e.w
}

// inlay implements io.Writer for an Encoder. It appends to the encoder's buffer.
type inlay Encoder

func (w *inlay) Write(b []byte) (int, error) {
	w.b = append(w.b, b...)
	return len(b), nil
}

func (w *inlay) WriteByte(c byte) error {
	w.b = append(w.b, c)
	return nil
}

// SetCustomStructTag sets the key of a second struct tag. For fields without a msgpack tag, e reads
// this tag instead.
func (e *Encoder) SetCustomStructTag(tag string) { e.plans = plansFor(e.plans.tagged(tag)) }

func (e *Encoder) set(flag uint32, on bool) {
	e.flags &^= flag
	if on {
		e.flags |= flag
	}
}

// SetSortMapKeys makes e write maps in the order of their keys. It compares strings by their bytes,
// and other keys by their encoding. Fields of structs keep the order of their declaration.
// SetSortMapKeys returns e.
func (e *Encoder) SetSortMapKeys(on bool) *Encoder {
	e.set(sortMapKeys, on)
	return e
}

// UseArrayEncodedStructs makes e write structs as arrays of all their fields, in the order of
// declaration.
func (e *Encoder) UseArrayEncodedStructs(on bool) { e.set(arrayStructs, on) }

// UseCompactInts makes e write ints of every type in their shortest form.
func (e *Encoder) UseCompactInts(on bool) { e.set(compactInts, on) }

// UseCompactFloats makes e write floats without a fraction as ints, if they fit an int64. The
// number -0 is still written as a float.
func (e *Encoder) UseCompactFloats(on bool) { e.set(compactFloats, on) }

// SetOmitEmpty makes e omit all empty fields of structs, as if they had the tag omitempty.
func (e *Encoder) SetOmitEmpty(on bool) { e.set(omitEmpty, on) }

// flush ends a public call. The outermost call writes the bytes.
func (e *Encoder) flush(b []byte) error {
	e.hold(b)
	switch {
	case e.inside > 0 && e.err == nil:
		return nil
	case e.err != nil || len(e.references) > 0 || e.w == nil || e.flags&canonical != 0:
		return e.flushSlow()
	}
	_, err := write(e.w, e.b)
	e.depth = 0
	e.empty()
	return err
}

// empty truncates e.b to length 0. It drops the memory of e.b if recent values have not needed it.
func (e *Encoder) empty() {
	if cap(e.b) > ownMax && e.peak.TooLarge(len(e.b), cap(e.b), ownMax) {
		e.b = nil
		return
	}
	e.b = e.b[:0]
}

// hold sets e.b to b. While the garbage collector is marking, storing a pointer takes tens of
// nanoseconds. So hold stores the pointer only if it changes.
func (e *Encoder) hold(b []byte) {
	if mem.SameRoom(e.b, b) {
		e.b = e.b[:len(b)]
	} else {
		e.b = b
	}
}

func (e *Encoder) flushSlow() error {
	err := e.err
	e.err = nil
	if e.inside > 0 {
		return err
	}
	e.depth = 0
	from := 0
	if len(e.references) > 0 {
		from = e.writeReferences(err)
	}
	if err == nil && e.w != nil {
		b := e.b[from:]
		if e.flags&canonical != 0 {
			b, err = e.appendCanonical(nil, b)
		}
		if err == nil {
			_, err = write(e.w, b)
		}
	}
	if e.w != nil {
		e.empty()
	}
	return err
}
