package matrix

// past is the world of an earlier case, and a copy. Nobody decodes into it any more, so nothing of
// it may change: neither what was handed out nor the target, whatever types and ways the cases
// since have had.
type past struct {
	id     string
	w      *world
	before *graph
	copy   *clone
}

// maxPast is how many earlier worlds are held.
const maxPast = 16

// remember holds the world of a case that has ended, and looks at the one that is held longest.
func (m *matrix) remember(id string, w *world) bool {
	g := graphOf(w.types, w.roots()...)
	m.pasts = append(m.pasts, past{id, w, g, g.copy(w.readOnly)})
	if len(m.pasts) <= maxPast {
		return true
	}
	return m.forget()
}

// forget drops the world that is held longest. It reports whether that is as it was.
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
	m.t.Errorf("what case %s left has changed since: %s\nagain: SLIPSTREAM_MATRIX=%s go test -run '^%s$' .", p.id, diff, ids, m.t.Name())
	return false
}

// forgetAll looks at all worlds that are held.
func (m *matrix) forgetAll() {
	for len(m.pasts) > 0 && m.forget() {
	}
}
