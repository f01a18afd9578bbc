package buffer

// A Peak is the most that recent uses of some memory have needed, in bytes or in entries. It falls
// by an eighth with each use that needs less: large memory outlives some small uses, and goes after
// more.
type Peak int

// TooLarge notes that a use needed n. It reports whether memory of this size is to go: it is more
// than keep, and more than 8 times the peak.
func (p *Peak) TooLarge(n, size, keep int) bool {
	*p = max(Peak(n), *p-(*p+7)/8)
	return size > keep && size/8 > int(*p)
}
