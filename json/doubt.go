package json

import "sync/atomic"

// A doubt counts the input of a type that is checked before it is decoded, because a document
// before it was invalid.
//
// Documents are decoded without a check, as nearly all are valid. To decode a part in vain costs
// several times what encoding/json takes to refuse the document, so a sender could make each of its
// documents that expensive. After an invalid document, doubted times as many bytes are checked
// first, which costs a small part of decoding them. The count is of bytes, not of documents: a
// sender who waits until large documents are decoded unchecked again has to send as much valid
// input, small documents do not end it.
type doubt struct{ left atomic.Int64 }

const doubted = 16

// checksFirst reports whether the next document, of n bytes, is to be checked first.
func (u *doubt) checksFirst(n int) bool {
	left := u.left.Load()
	if left <= 0 {
		return false
	}
	u.left.Store(left - int64(n)) // a count that another goroutine changes meanwhile does no harm
	return true
}

// raise notes an invalid document of n bytes.
func (u *doubt) raise(n int) {
	u.left.Store(max(u.left.Load(), doubted*int64(n)))
}
