package buffer

// A Peak is the largest size that recent uses of some memory have needed, in bytes or in entries.
// Each use that needs less lowers it by an eighth. So large memory is kept for a few small uses,
// and released after more of them.
type Peak int

// TooLarge records that a use needed n. It reports whether memory of this size should be released:
// it is larger than keep, and larger than 8 times the peak.
func (p *Peak) TooLarge(n, size, keep int) bool {
	*p = max(Peak(n), *p-(*p+7)/8)
	return size > keep && size/8 > int(*p)
}
