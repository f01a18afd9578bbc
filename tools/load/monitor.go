package load

// monitor measures a process over a run.
type monitor struct {
	process       process
	before, after float64          // CPU seconds
	ask           func() *spending // returns the process's own measurements; nil if the process does not offer them
	begun, ended  *spending        // results of ask before and after the run; nil if there are none
	samples       []int64          // memory in use, one sample per second
	last, peak    int64
	problem       error // the first error; earlier measurements remain valid
}

func (m *monitor) begin() error {
	m.before, m.problem = m.process.cpuSeconds()
	m.after = m.before
	if m.problem == nil {
		m.measure()
	}
	if m.ask != nil {
		m.begun = m.ask()
	}
	return m.problem
}

func (m *monitor) measure() {
	now, peak, err := m.process.memory()
	if err != nil {
		m.fail(err)
		return
	}
	m.last, m.peak = now, peak
}

func (m *monitor) sample() {
	if m.problem == nil {
		m.measure()
		m.samples = append(m.samples, m.last)
	}
}

func (m *monitor) end() {
	if m.problem != nil {
		return
	}
	after, err := m.process.cpuSeconds()
	if err != nil {
		m.fail(err)
		return
	}
	m.after = after
	m.measure()
	if m.ask != nil {
		m.ended = m.ask()
	}
}

func (m *monitor) fail(err error) {
	if m.problem == nil {
		m.problem = err
	}
}

// perMillion returns the CPU seconds per million rows, or nil if they are not known.
func (m *monitor) perMillion(rows int64) *float64 {
	if m.problem != nil || rows == 0 {
		return nil
	}
	v := (m.after - m.before) / float64(rows) * 1e6
	return &v
}

func (m *monitor) report(rows int64) *ServerReport {
	r := &ServerReport{
		PID:        m.process.pid,
		CPUSeconds: m.after - m.before,
		PerMillion: m.perMillion(rows),
		PeakBytes:  m.peak,
		LastBytes:  m.last,
	}
	if perSecond, ok := slope(m.samples); ok {
		perMinute := 60 * perSecond
		r.GrowthPerMinute = &perMinute
	}
	if m.begun != nil && m.ended != nil {
		r.GCShare = m.begun.gcShare(m.ended)
	}
	if m.problem != nil {
		r.Problem = m.problem.Error()
	}
	return r
}
