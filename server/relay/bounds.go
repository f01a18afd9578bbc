package relay

// boundsSeries reports whether at least one limit applies to individual series.
func (l *Limits) boundsSeries() bool {
	return l.ActiveSeries > 0 || l.LabelsPerSeries > 0 || l.LabelNameBytes > 0 || l.LabelValueBytes > 0
}

// looksAtSeries reports whether the relay must check each series of the tenant.
func (t *TenantRule) looksAtSeries() bool { return t.boundsSeries() || t.filters() }

// looksAtSeries reports whether the relay must check the series of at least one tenant.
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
