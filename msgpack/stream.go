package msgpack

// Encoder and Decoder over io.
//
// The decoder reads from one []byte, the window. From a stream, the window is filled when an op
// runs out of bytes, in the cold path of every read (Decoder.need); so a value is decoded while it
// arrives, nothing is scanned twice, and the offsets that ops hold stay right, because inside a
// value the window only grows at its end.
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

// Error reports what a decoder could not read, and where.
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
// The text of an error is that of the original, without the place: programs compare such texts. The
// verb %+v adds the place, as in "msgpack: invalid code=c3 decoding int64 in users[3].age, at byte
// 96". json.Error and transcode.Error are this type too.
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
	knownStrings // an Encoder has strings that are written as their numbers
	rawExt       // a Decoder gives an ext that nothing is registered for as an Ext
	strictInts
	strictUTF8
	uniqueKeys
	anyLength
	zeroCopy
	ownStrings
	utcTimes
	limited
	reuseBytes
	canonical // an Encoder rewrites what it has gathered; see canonical.go

	// careful are the flags of a decoder under which structs and strings are read without short
	// cuts.
	careful = internStrings | strictInts | strictUTF8 | uniqueKeys | zeroCopy | ownStrings | limited

	// interned are the flags of an encoder under which strings are written by appendInterned.
	interned = internStrings | knownStrings
)

// Decoder reads MessagePack values from a stream or a []byte. It is not safe for concurrent use.
type Decoder struct {
	b        []byte // the window
	i        int    // the next byte to read: 0 ≤ i ≤ len(b)
	flags    uint32
	depth    int // arrays and maps that the value being read lies in
	steps    int // pointers and methods that it lies in; see step
	inside   int // calls of begin without an end: more than one inside a custom decoder
	outer    int // of these, the one that has called the function of an ext with d: 1, or 0
	start    int // of the value being read
	credit   int // bytes that may be allocated ahead of the data, for the value being read
	strings  buffer.Strings
	keys     *buffer.Recent // of maps
	values   *buffer.Recent // of long lists of strings
	numbers  buffer.Slab[uint64]
	texts    buffer.Slab[string]
	plans    *planSet
	limits   limits
	mapFunc  func(*Decoder) (any, error)
	dict     decoderDict
	dictMark int // len(dict.own) when the value being read began

	transient bool // r is nil, and the memory of b is used again later: no views of it

	base    int64 // of b[0] in the input
	r       io.Reader
	buf     *bytes.Buffer // r, when its own bytes can be the window
	chunks  *Buffer       // the same
	lent    bool          // r is buf or chunks: the window goes back to it at the end of a call
	exact   bool          // r must not be read ahead
	own     []byte        // the window's memory, when it is ours
	peak    buffer.Peak   // what the window held when values began
	readErr error         // what r said, but io.EOF
	late    error         // the same, said with bytes that were enough: it is told when more are wanted
	err     *Error        // of the current call
	path    wire.Path     // of err, as far as it is unwound
	inner   *Error        // the last that a call inside a user's method ended with
	rest    scan          // of a value that did not fit, to be passed over; at counts from i

	shareMin int  // chunks.ShareMin, while the window lies in memory of its own; see buffer.go
	shared   bool // a view of the window was given out
}

// readAhead is what is asked of a reader at a time.
const readAhead = 4 << 10

// idleMax is how often in sequence a reader may give nothing, without an error.
const idleMax = 100

// ownMax is the window that a decoder keeps for its next use.
const ownMax = 32 << 10

// keysMax is how many keys an encoder keeps room for.
const keysMax = 1 << 10

// streamCredit is what may be allocated ahead of the data for a value from a stream.
const streamCredit = 64 << 10

// NewDecoder returns a decoder that reads from r. If r is an io.ByteScanner, such as a
// *bytes.Buffer or a *bufio.Reader, the decoder reads no byte after the value. From another reader
// it reads up to 4 KB ahead.
func NewDecoder(r io.Reader) *Decoder {
	d := newDecoder()
	d.Reset(r)
	return d
}

func newDecoder() *Decoder {
	d := &Decoder{plans: defaultPlans, limits: noLimits}
	if sharedStrings {
		d.strings.Size = buffer.ChunkSize
	}
	return d
}

var decoders = sync.Pool{New: func() any { return newDecoder() }}

// GetDecoder returns a decoder from a pool. It has the options with which it was put back, so call
// Reset or ResetBytes first.
func GetDecoder() *Decoder { return decoders.Get().(*Decoder) }

// PutDecoder returns d to the pool, without interned strings, its reader, and a buffer of more than
// 32 KB. The caller must not use d afterwards.
func PutDecoder(d *Decoder) {
	if cap(d.own) > ownMax {
		d.own = nil
	}
	d.forgetDict()
	d.b, d.r, d.buf, d.err, d.inner, d.readErr, d.late, d.mapFunc = nil, nil, nil, nil, nil, nil, nil, nil
	d.chunks, d.lent, d.shareMin = nil, false, 0
	decoders.Put(d)
}

// Reset makes d read from r, and sets all options to their defaults.
func (d *Decoder) Reset(r io.Reader) {
	d.toDefaults()
	d.ResetReader(r)
}

// ResetReader makes d read from r, and keeps its options except the map decoder.
func (d *Decoder) ResetReader(r io.Reader) {
	d.mapFunc = nil
	d.shrink()
	d.b, d.i, d.base = d.own, 0, 0
	d.r, d.buf, d.exact, d.readErr, d.late = r, nil, false, nil, nil
	d.transient = false
	d.chunks, d.lent, d.shareMin = nil, false, 0
	d.clean()
	switch r := r.(type) {
	case nil:
		d.b = nil
	case *bytes.Buffer:
		d.buf, d.b, d.lent = r, nil, true
	case *Buffer:
		d.chunks, d.b, d.lent = r, nil, true
	case io.ByteScanner:
		d.exact = true
	}
}

// ResetBytes makes d read from data, and sets all options to their defaults. Data must not change
// until the last value is decoded.
func (d *Decoder) ResetBytes(data []byte) {
	d.toDefaults()
	d.b, d.i, d.base = data, 0, 0
	d.r, d.buf, d.readErr, d.late, d.transient = nil, nil, nil, nil, false
	d.chunks, d.lent, d.shareMin = nil, false, 0
	d.clean()
}

func (d *Decoder) toDefaults() {
	d.flags, d.mapFunc, d.plans, d.limits = 0, nil, defaultPlans, noLimits
}

// clean forgets interned strings, and a call that did not come to its end, as when a user's method
// panics.
func (d *Decoder) clean() {
	if d.dict.size() > 0 {
		d.dict.reset(nil)
	}
	d.err, d.inner, d.rest = nil, nil, scan{}
	d.path.Reset()
	d.depth, d.steps, d.inside, d.outer = 0, 0, 0, 0
}

// begin opens a public call and gives where its value starts.
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

// slide drops what is read from the window, if it is at least as much as what has to move. A window
// that recent values have not needed is replaced by a small one.
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

// shrink empties the memory of the window, which nothing refers to now, and drops it if recent
// values have not needed it.
func (d *Decoder) shrink() {
	if cap(d.own) > ownMax && d.peak.TooLarge(len(d.own), cap(d.own), ownMax) {
		d.own = nil
	}
	d.own = d.own[:0]
}

// end closes a public call whose value started at mark and ended before next, or failed when next
// is -1.
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

// endFailed completes the error. At the end of the input, where a value could have started but did
// not, it is io.EOF itself.
//
// The decoder goes on after the value at fault: what of it is not buffered is passed over before
// the next one (catchUp). Inside a user's method, a call that failed has read nothing: the method
// may try another one.
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

// goOn passes over the value at mark, which failed by e: nil at the end of the input. The end of
// the input inside a value ends it.
func (d *Decoder) goOn(mark int, e *Error) {
	if d.rest != (scan{}) { // the value before has not been passed over yet
		if d.lent {
			d.giveBack(d.i)
		}
		return
	}
	if len(d.b) == mark || d.readErr != nil && d.readErr != errTooLarge && e != nil && errors.Is(e, d.readErr) {
		// Nothing of it has arrived, or its reader failed, as at a deadline: the value is the next
		// one once more.
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
		// The strings of the value must join the dict, those that are still to come too.
		if next := d.pass(mark); next >= 0 {
			d.joinFrom(int(e.Offset-d.base), next)
		}
		d.err = nil
	}
	d.rest = scan{uint64(mark), 1}
	known := d.passOver()
	if d.r == nil {
		d.rest = scan{} // nothing is to come
	}
	if d.lent {
		n := d.i
		if d.chunks != nil && !known {
			n = d.chunks.Len()
		}
		d.giveBack(n)
	}
}

// passOver drops the buffered part of d.rest. After a code that means nothing it is false: then
// nothing says where a next value would start, and all is dropped.
func (d *Decoder) passOver() bool {
	known := d.rest.over(d.b, 1<<62) == foundMore
	if !known {
		d.rest = scan{uint64(len(d.b)), 0}
	}
	d.i = int(min(d.rest.at, uint64(len(d.b))))
	d.rest.at -= uint64(d.i)
	return known
}

// catchUp passes over the rest of a value that did not fit what it was read into. While it cannot,
// because the input ends or its reader fails, d.rest stays: nothing is read, and the next call
// tries again.
func (d *Decoder) catchUp() {
	flags := d.flags
	d.flags &^= limited // which is for values that are gathered
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

// need makes sure that n bytes from offset i are buffered.
func (d *Decoder) need(i, n int) bool {
	if n <= len(d.b)-i {
		return true
	}
	return d.r != nil && d.buf == nil && d.fill(i, n)
}

// fill reads until n bytes from offset i are buffered, unless an earlier value is still to be
// passed over.
//
//go:noinline
func (d *Decoder) fill(i, n int) bool { return d.rest == (scan{}) && d.fillMore(i, n, 0) }

// fillMore is fill in any case. The window doubles as data arrives, whatever n claims. As many as
// most bytes may be read when they come with the others.
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
				d.late = err // r need not say it again
			default:
				d.readErr = err
			}
			return enough
		}
	}
	return true
}

// SetCustomStructTag sets the key of the tag that d reads from fields without a msgpack tag.
func (d *Decoder) SetCustomStructTag(tag string) { d.plans = plansFor(d.plans.tagged(tag)) }

func (d *Decoder) set(flag uint32, on bool) {
	d.flags &^= flag
	if on {
		d.flags |= flag
	}
}

// DisallowUnknownFields makes a key without a field an error.
func (d *Decoder) DisallowUnknownFields(on bool) { d.set(disallowUnknown, on) }

// UseLooseInterfaceDecoding makes d decode ints into an any as int64, or as uint64 if they have an
// unsigned code of 8 to 64 bits, floats as float64, and bin as string.
func (d *Decoder) UseLooseInterfaceDecoding(on bool) { d.set(looseInterface, on) }

// ReuseBytes makes d overwrite the memory of a []byte in the target: see
// [DecodeOptions.ReuseBytes].
func (d *Decoder) ReuseBytes(on bool) { d.set(reuseBytes, on) }

// UsePreallocateValues has no effect: values are always allocated in their place.
func (d *Decoder) UsePreallocateValues(bool) {}

// DisableAllocLimit makes d allocate memory for lengths and counts before it has seen the data. A
// few bytes may then announce gigabytes.
func (d *Decoder) DisableAllocLimit(on bool) { d.set(noAllocLimit, on) }

// SetMapDecoder sets the function for maps whose target has no type. fn must read the whole map
// from its decoder. The value becomes the result of fn.
func (d *Decoder) SetMapDecoder(fn func(*Decoder) (any, error)) { d.mapFunc = fn }

// InputOffset returns the number of bytes that have been decoded or skipped since the last Reset.
func (d *Decoder) InputOffset() int64 { return d.base + int64(d.i) }

// Encoder writes MessagePack values to a stream, with one call of Write for each public call. If a
// writer writes less than it is given, without an error, the call returns io.ErrShortWrite. An
// Encoder is not safe for concurrent use.
type Encoder struct {
	b      []byte
	peak   buffer.Peak // what b held
	flags  uint32
	depth  int
	inside int
	w      io.Writer
	err    error
	plans  *planSet
	keys   []string    // room for sorting
	most   buffer.Peak // what keys held
	word   mem.Raw     // a value that an interface holds in its data word

	references   []reference // what w is to refer to, in order
	referenceMin int         // from how many bytes on, or 0; see buffer.go
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

// GetEncoder returns an encoder from a pool. It has the options with which it was put back, so call
// Reset first.
func GetEncoder() *Encoder { return encoders.Get().(*Encoder) }

// PutEncoder returns e to the pool, without interned strings, its writer, and memory of more than
// 32 KB. The caller must not use e afterwards.
func PutEncoder(e *Encoder) {
	if cap(e.b) > ownMax {
		e.b = nil
	}
	clear(e.keys) // of a call that did not come to its end
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

// ResetWriter makes e write to w, and keeps its options.
func (e *Encoder) ResetWriter(w io.Writer) {
	e.b, e.w, e.err, e.depth, e.inside = e.b[:0], w, nil, 0, 0
	e.references, e.referenceMin = nil, 0
	if w, ok := w.(*Buffer); ok {
		e.referenceMin = w.ReferenceMin
	}
	e.setDict(nil)
}

// Writer returns the writer of e. In a custom encoder, bytes written to it become part of the
// value.
func (e *Encoder) Writer() io.Writer {
	if e.inside > 0 {
		return (*inlay)(e)
	}
	return e.w
}

// inlay is an Encoder as the writer of the bytes that it is gathering.
type inlay Encoder

func (w *inlay) Write(b []byte) (int, error) {
	w.b = append(w.b, b...)
	return len(b), nil
}

func (w *inlay) WriteByte(c byte) error {
	w.b = append(w.b, c)
	return nil
}

// SetCustomStructTag sets the key of the tag that e reads from fields without a msgpack tag.
func (e *Encoder) SetCustomStructTag(tag string) { e.plans = plansFor(e.plans.tagged(tag)) }

func (e *Encoder) set(flag uint32, on bool) {
	e.flags &^= flag
	if on {
		e.flags |= flag
	}
}

// SetSortMapKeys makes e write maps in the order of their keys: strings by their bytes, others by
// their encoding. Fields of structs keep the order of their declaration. It returns e.
func (e *Encoder) SetSortMapKeys(on bool) *Encoder {
	e.set(sortMapKeys, on)
	return e
}

// UseArrayEncodedStructs makes e write structs as arrays of all their fields, in the order of
// declaration.
func (e *Encoder) UseArrayEncodedStructs(on bool) { e.set(arrayStructs, on) }

// UseCompactInts makes e write ints of every type in their shortest form.
func (e *Encoder) UseCompactInts(on bool) { e.set(compactInts, on) }

// UseCompactFloats makes e write floats without a fraction as ints, if they fit an int64. -0 stays
// a float.
func (e *Encoder) UseCompactFloats(on bool) { e.set(compactFloats, on) }

// SetOmitEmpty makes e omit all empty fields of structs, as if they had the tag omitempty.
func (e *Encoder) SetOmitEmpty(on bool) { e.set(omitEmpty, on) }

// flush ends a public call: the outermost one writes.
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

// empty makes e.b empty. If it is larger than recent values have needed, it goes.
func (e *Encoder) empty() {
	if cap(e.b) > ownMax && e.peak.TooLarge(len(e.b), cap(e.b), ownMax) {
		e.b = nil
		return
	}
	e.b = e.b[:0]
}

// hold sets e.b. While the collector marks, a pointer that is stored costs tens of nanoseconds, so
// it is stored only when it changes.
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
