package relay

// boundsSeries reports whether each series of the tenant must be looked at.
func (l *Limits) boundsSeries() bool {
	return l.ActiveSeries > 0 || l.LabelsPerSeries > 0 || l.LabelNameBytes > 0 || l.LabelValueBytes > 0
}

// boundsSeries reports whether some tenant's series must be looked at.
func (r *Rules) boundsSeries() bool {
	if r.defaults.boundsSeries() {
		return true
	}
	for _, t := range r.tenants {
		if t.boundsSeries() {
			return true
		}
	}
	return false
}
