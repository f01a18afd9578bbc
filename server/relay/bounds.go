package relay

// boundsSeries reports whether each series of the tenant is held to a bound.
func (l *Limits) boundsSeries() bool {
	return l.ActiveSeries > 0 || l.LabelsPerSeries > 0 || l.LabelNameBytes > 0 || l.LabelValueBytes > 0
}

// looksAtSeries reports whether each series of the tenant must be looked at.
func (t *TenantRule) looksAtSeries() bool { return t.boundsSeries() || t.filters() }

// looksAtSeries reports whether some tenant's series must be looked at.
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
