package json

import "sync/atomic"

// A doubt counts the documents of a type that are checked before they are decoded, because one before them was invalid.
//
// Documents are decoded without a check, as nearly all are valid. To decode a part in vain costs several times what
// encoding/json takes to refuse the document, so a sender could make each of its documents that expensive. After an invalid
// document the next ones are checked first, which costs a small part of decoding them.
type doubt struct{ left atomic.Int32 }

const doubted = 64 // documents

// checksFirst reports whether the next document is to be checked first.
func (u *doubt) checksFirst() bool {
	left := u.left.Load()
	if left <= 0 {
		return false
	}
	u.left.Store(left - 1) // a count that another goroutine changes meanwhile does no harm
	return true
}

// raise notes an invalid document.
func (u *doubt) raise() { u.left.Store(doubted) }
