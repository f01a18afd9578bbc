package schema

import "math"

// Option is an option for reading and writing messages. SortMaps is the only option that affects
// the bytes of a message.
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

// Alias makes strings and blobs views of the input, so that no memory is allocated for them. The
// input must not change while the views are in use. Views from a [Reader] are valid until its next
// message is read.
func Alias(o *options) { o.text = inputText }

// ReuseBlobs overwrites the bytes of a []byte in the target, if it has enough capacity. The []byte
// must not be a view of an input (see [Alias]), and its bytes must not be in use elsewhere. By
// default, each []byte is read into new memory, both for a Blob and for a List of bytes.
func ReuseBlobs(o *options) { o.reuse = true }

// OwnStrings allocates each string separately. By default, short strings of a message share chunks
// of up to 2 KB, so a retained string can keep other strings alive.
func OwnStrings(o *options) { o.text = ownText }

// SortMaps writes the entries of a map in the order of their encoded bytes, so that equal values
// have equal bytes.
func SortMaps(o *options) { o.sort = true }

// Exact makes a Reader, ModelReader or FrameReader read no bytes after the current message from its
// source. Such a reader makes a small read for each part of known size.
func Exact(o *options) { o.exact = true }

// MaxBytes limits the size of a message that is read, and so also limits the memory of the value.
// The default of a Reader is 64 MB. Parse has no default limit, because its input is already in
// memory.
func MaxBytes(n int) Option { return func(o *options) { o.bytes, o.bounded = max(n, 0), true } }

// MaxDepth limits the nesting of recursive types, for reading and writing. The default is 64. Each
// level uses stack memory, which Go limits to one gigabyte, so do not set a limit of millions.
func MaxDepth(n int) Option {
	return func(o *options) { o.depth = max(n, 0) }
}

// MaxItems limits, for each message, the number of list elements and map entries that take no
// bytes. The default is 65,536. The number of all other elements and entries is limited by the size
// of the input.
func MaxItems(n int) Option { return func(o *options) { o.items = max(n, 0) } }
