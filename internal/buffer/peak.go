package buffer

// A Peak is the largest size, in bytes or in entries, that recent operations on a buffer needed.
// Each operation that needs less reduces the peak by an eighth. So a large buffer is kept during a
// few small operations, and is released after more of them.
type Peak int

// TooLarge records that one operation needed a buffer of the size n. It reports whether a buffer of
// the given size should be released. This is the case if `size` exceeds both `keep` and 8 times the
// peak.
func (p *Peak) TooLarge(n, size, keep int) bool {
	*p = max(Peak(n), *p-(*p+7)/8)
	return size > keep && size/8 > int(*p)
}
