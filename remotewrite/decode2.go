package remotewrite

// This file decodes version 2, in which labels are references to symbols.

// request2 decodes a request of version 2. Symbols may follow the series that refer to them, so a
// first pass decodes the symbols.
func (m *memory) request2(b []byte) bool {
	own, other := len(b) == 0, false
	for i := 0; i < len(b); {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		switch tag {
		case tagSymbol:
			own = true
			*m.symbols.next() = m.text(b[:next], at)
		case tagSeries2:
			own = true
		case tagSeries1, tagMetadata1:
			other = true
		default:
			if request2.has(tag) {
				return false
			}
		}
		i = next
	}
	symbols := m.symbols.cut()
	if other && !own || len(symbols) > 0 && symbols[0] != "" {
		return false
	}
	for i := 0; i < len(b); {
		tag, at, next := readField(b, i)
		if tag == tagSeries2 && !m.series2(b[:next], at, symbols) {
			return false
		}
		i = next
	}
	return true
}

// series2 decodes a series of version 2.
func (m *memory) series2(b []byte, i int, symbols []string) bool {
	s := m.series.next()
	s.Metadata = Metadata{}
	var half halfLabel
	for i < len(b) {
		if next := plainSample(b, i); next >= 0 {
			*m.samples.next() = readPlainSample(b, i, next)
			i = next
			continue
		}
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		var ok bool
		switch tag {
		case tagRefs, tagRef:
			ok = half.decode(&m.labels, b[:next], at, symbols)
		case tagSamples:
			ok = m.samples.next().decode(b[:next], at, V2)
		case tagHistogram2:
			ok = m.histogram(b[:next], at, histogram2)
		case tagExemplar2:
			ok = m.exemplar2(b[:next], at, symbols)
		case tagMetadata2:
			ok = s.Metadata.decode2(b[:next], at, symbols)
		default:
			ok = !series2.has(tag)
		}
		if !ok {
			return false
		}
		i = next
	}
	m.cutSeries(s)
	return !half.open
}

// halfLabel is a label whose name has been read, but not its value. References come in pairs, but
// the two references of a pair may be in different fields.
type halfLabel struct {
	name string
	open bool
}

// decode decodes the references in b[i:], which contains packed references or a single reference.
func (h *halfLabel) decode(to *slab[Label], b []byte, i int, symbols []string) bool {
	for i < len(b) {
		if !h.open {
			name, next := shortRef(b, i)
			value, next := shortRef(b, next)
			if name < uint(len(symbols)) && value < uint(len(symbols)) {
				*to.next() = Label{symbols[name], symbols[value]}
				i = next
				continue
			}
		}
		ref, next := readVarint(b, i)
		if next < 0 || uint64(uint32(ref)) >= uint64(len(symbols)) {
			return false
		}
		s := symbols[uint32(ref)]
		if h.open {
			*to.next() = Label{h.name, s}
		}
		h.name, h.open = s, !h.open
		i = next
	}
	return true
}

func (m *memory) exemplar2(b []byte, i int, symbols []string) bool {
	e := m.exemplars.next()
	*e = Exemplar{}
	var half halfLabel
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		switch tag {
		case tagRefs, tagRef:
			if !half.decode(&m.exemplarLabels, b[:next], at, symbols) {
				return false
			}
		default:
			if !e.field(b, tag, at) {
				return false
			}
		}
		i = next
	}
	e.Labels = m.exemplarLabels.cut()
	return !half.open
}

// decode2 decodes the metadata of a series. If metadata is in several fields, it merges them.
func (d *Metadata) decode2(b []byte, i int, symbols []string) bool {
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		ok := true
		switch tag {
		case 1<<3 | typeVarint:
			d.Type = MetricType(readInt(b, at))
		case tagHelp:
			d.Help, ok = symbolAt(b, at, symbols)
		case tagUnit:
			d.Unit, ok = symbolAt(b, at, symbols)
		default:
			ok = !metadata2.has(tag)
		}
		if !ok {
			return false
		}
		i = next
	}
	return true
}

// symbolAt returns the symbol to which the varint at the offset at refers. Reference 0 is the empty
// string, even if there are no symbols.
func symbolAt(b []byte, at int, symbols []string) (s string, ok bool) {
	ref := uint32(readUint(b, at))
	if ref == 0 {
		return "", true
	}
	if uint64(ref) >= uint64(len(symbols)) {
		return "", false
	}
	return symbols[ref], true
}
