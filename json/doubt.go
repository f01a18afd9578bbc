package json

import "sync/atomic"

// A doubt counts the bytes of input to check before decoding them into a type, because an earlier
// document for the type was invalid.
//
// Documents are normally decoded without a check, because nearly all are valid. Decoding a part of
// an invalid document in vain takes several times as long as encoding/json takes to reject the
// document. A sender could make each of its documents that expensive. So after an invalid document,
// doubted times as many bytes are checked first. Checking costs a small part of decoding.
//
// A doubt counts bytes, not documents. Before large documents are decoded unchecked again, a sender
// must send doubted times as many valid bytes. A few small documents do not suffice.
type doubt struct{ left atomic.Int64 }

const doubted = 16

// checksFirst reports whether the next document, of n bytes, must be checked before it is decoded.
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
