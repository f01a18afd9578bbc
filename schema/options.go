package schema

import "math"

// Option is an option for reading and writing. Only SortMaps changes the bytes of a message.
type Option func(*options)

type options struct {
	text  textMode
	sort  bool
	exact bool
	reuse bool
	depth int
	items int
	bytes int

	bounded bool // the option MaxBytes was given
}

var defaults = options{bytes: math.MaxInt, depth: 64, items: 1 << 16}

// Alias makes strings and blobs views of the input, so that they need no allocation. The input must
// not change while they are in use. Views from a [Reader] are valid until its next message.
func Alias(o *options) { o.text = inputText }

// ReuseBlobs overwrites the memory of a []byte in the target, if it has enough capacity. That
// memory must not be a view of an input (see [Alias]), and must not be in use elsewhere. By default
// each []byte is read into new memory, both for a Blob and for a List of bytes.
func ReuseBlobs(o *options) { o.reuse = true }

// OwnStrings allocates each string separately. By default, short strings of a message share chunks
// of up to 2 KB, so a string that is kept can keep others alive.
func OwnStrings(o *options) { o.text = ownText }

// SortMaps writes the entries of a map in the order of their bytes, so that equal values have equal
// bytes.
func SortMaps(o *options) { o.sort = true }

// Exact makes a Reader, ModelReader or FrameReader read no byte after the current message from its
// source. The price is a small read for each part of known size.
func Exact(o *options) { o.exact = true }

// MaxBytes limits the size of a message that is read, and with it the memory of the value. The
// default of a Reader is 64 MB. Parse has no default limit, because its input is already in memory.
func MaxBytes(n int) Option { return func(o *options) { o.bytes, o.bounded = max(n, 0), true } }

// MaxDepth limits the nesting of recursive types, for reading and writing. The default is 64. Each
// level uses stack, and Go limits the stack to one gigabyte, so do not set millions.
func MaxDepth(n int) Option {
	return func(o *options) { o.depth = max(n, 0) }
}

// MaxItems limits the number of list elements and map entries that take no bytes. It applies to
// each message. The default is 65,536. The number of all other elements is limited by the size of
// the input.
func MaxItems(n int) Option { return func(o *options) { o.items = max(n, 0) } }
