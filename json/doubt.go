package json

import "sync/atomic"

// A doubt contains, for one type, the number of input bytes that must be checked before they are
// decoded. It is positive for a while after an invalid document for the type.
//
// Normally, documents are decoded without a check, because nearly all documents are valid. If a
// document turns out to be invalid, the decoding was wasted, and took several times as long as
// encoding/json takes to reject the document. A sender could make each of its documents that
// expensive. So after an invalid document of n bytes, the next doubted×n bytes are checked before
// they are decoded. Checking takes a small part of the time of decoding.
//
// A doubt counts bytes, not documents. So a few small valid documents are not sufficient to have
// large documents decoded without a check again.
type doubt struct{ left atomic.Int64 }

const doubted = 16

// checksFirst reports whether the next document, which has n bytes, must be checked before it is
// decoded.
func (u *doubt) checksFirst(n int) bool {
	left := u.left.Load()
	if left <= 0 {
		return false
	}
	u.left.Store(left - int64(n)) // losing a concurrent change of the count does no harm
	return true
}

// raise records an invalid document of n bytes.
func (u *doubt) raise(n int) {
	u.left.Store(max(u.left.Load(), doubted*int64(n)))
}
