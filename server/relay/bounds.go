package relay

// boundsSeries reports whether any of the limits applies to single series.
func (l *Limits) boundsSeries() bool {
	return l.ActiveSeries > 0 || l.LabelsPerSeries > 0 || l.LabelNameBytes > 0 || l.LabelValueBytes > 0
}

// looksAtSeries reports whether each series of the tenant must be examined.
func (t *TenantRule) looksAtSeries() bool { return t.boundsSeries() || t.filters() }

// looksAtSeries reports whether the series of at least one tenant must be examined.
func (r *Rules) looksAtSeries() bool {
	if r.defaults.looksAtSeries() {
		return true
	}
	for _, t := range r.tenants {
		if t.looksAtSeries() {
			return true
		}
	}
	return false
}
