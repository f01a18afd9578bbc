package buffer

// A Peak is the largest size that recent uses of a certain memory needed, in bytes or in entries.
// Each use that needs less memory reduces the peak by an eighth. So large memory is kept during a
// few small uses, and is released after more small uses.
type Peak int

// TooLarge records that a use needed the size n. It reports whether memory of the given size should
// be released. This is the case if the size is larger than keep, and larger than 8 times the peak.
func (p *Peak) TooLarge(n, size, keep int) bool {
	*p = max(Peak(n), *p-(*p+7)/8)
	return size > keep && size/8 > int(*p)
}
