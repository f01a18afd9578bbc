package matrix

// past contains the world of an earlier case, and a copy of that world. Later calls do not decode
// into this world. So neither its target nor its kept values may change, regardless of the types
// and ways in later cases.
type past struct {
	id     string
	w      *world
	before *graph
	copy   *clone
}

// maxPast is the maximum number of earlier worlds that are kept.
const maxPast = 16

// remember keeps the world of a case that has ended. If there are more than maxPast worlds, it
// checks and drops the oldest.
func (m *matrix) remember(id string, w *world) bool {
	g := graphOf(w.types, w.roots()...)
	m.pasts = append(m.pasts, past{id, w, g, g.copy(w.readOnly)})
	if len(m.pasts) <= maxPast {
		return true
	}
	return m.forget()
}

// forget drops the oldest world, and reports whether that world is unchanged.
func (m *matrix) forget() bool {
	p := m.pasts[0]
	m.pasts = m.pasts[1:]
	diff := ""
	if fault := guarded(func() { diff = p.w.equals(p.before, p.copy) }); fault != nil {
		diff = fault.Error()
	}
	if diff == "" {
		return true
	}
	ids := p.id
	for _, later := range m.pasts {
		if later.id != "" {
			ids += "," + later.id
		}
	}
	m.t.Errorf("the target of case %s was changed by a later case: %s\nto reproduce: SLIPSTREAM_MATRIX=%s go test -run '^%s$' .", p.id, diff, ids, m.t.Name())
	return false
}

// forgetAll checks and drops all worlds, up to the first changed world.
func (m *matrix) forgetAll() {
	for len(m.pasts) > 0 && m.forget() {
	}
}
