package schema

import "math"

// Option sets how a schema reads and writes. The bytes of a message do not depend on it, but for
// [SortMaps].
type Option func(*options)

type options struct {
	text  textMode
	sort  bool
	exact bool
	reuse bool
	depth int
	items int
	bytes int

	bounded bool // bytes was asked for
}

var defaults = options{bytes: math.MaxInt, depth: 64, items: 1 << 16}

// Alias lets strings and blobs lie in the input, so that reading allocates nothing for them. The
// input must not change as long as they are used; from a [Reader] that is until its next message.
func Alias(o *options) { o.text = inputText }

// ReuseBlobs overwrites the memory of a []byte that the target holds, if it has room for the new
// bytes. That memory must not be a view of an input ([Alias]) and must not be in use elsewhere.
// Without the option every []byte is read into new memory, be it a [Blob] or a [List] of bytes.
func ReuseBlobs(o *options) { o.reuse = true }

// OwnStrings gives each string memory of its own. Without it short strings of a message share
// chunks of up to 2 KB, so that a string that is kept may keep others.
func OwnStrings(o *options) { o.text = ownText }

// SortMaps writes the entries of maps in the order of their bytes, so that equal values have equal
// bytes.
func SortMaps(o *options) { o.sort = true }

// Exact lets a [Reader], [ModelReader] or [FrameReader] take no byte from its source that is not of
// the message being read, at the price of a small read for each part whose size is known.
func Exact(o *options) { o.exact = true }

// MaxBytes bounds the bytes of a message that is read. It bounds its memory too: that is at most so
// many times as much as the schema makes of one byte. A [Reader] takes 64 MB unless told otherwise;
// Parse, whose input is there already, takes any.
func MaxBytes(n int) Option { return func(o *options) { o.bytes, o.bounded = max(n, 0), true } }

// MaxDepth bounds how deep values of types that lead to themselves may be, read or written: 64
// unless told otherwise. Each level takes stack, of which Go gives a gigabyte: millions are too
// many.
func MaxDepth(n int) Option {
	return func(o *options) { o.depth = max(n, 0) }
}

// MaxItems bounds how many elements of lists, and entries of maps, may take no bytes at all, in one
// message: 65,536 unless told otherwise. The number of all others is bounded by the bytes that
// there are.
func MaxItems(n int) Option { return func(o *options) { o.items = max(n, 0) } }
