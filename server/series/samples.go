package series

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/rows"
)

// Views of series are converted directly to rows in batches of columns:
//
//	part ──▶ series: metric, labels ──▶ samples, histograms, exemplars, metadata: a sheet of rows for each ──▶ groups

// field describes a column of a tenant's table.
type field struct {
	name []byte
	kind column.Kind // Null if the first value of the column sets the kind
}

// fields contains the columns of each table. The tables of samples, histograms and exemplars begin
// with the same columns, which the method `row` fills.
var fields = [kinds][]field{
	samples: {
		{[]byte(rows.TimeColumn), column.Time}, {[]byte("metric"), column.String}, {[]byte("labels"), column.String},
		{[]byte("value"), column.Float64}, {[]byte("start_time"), column.Null},
	},
	histograms: {
		{[]byte(rows.TimeColumn), column.Time}, {[]byte("metric"), column.String}, {[]byte("labels"), column.String},
		{[]byte("count"), column.Float64}, {[]byte("sum"), column.Float64},
		{[]byte("zero_count"), column.Float64}, {[]byte("zero_threshold"), column.Float64}, {[]byte("schema"), column.Int64},
		{[]byte("buckets"), column.String}, {[]byte("message"), column.String}, {[]byte("start_time"), column.Null},
	},
	exemplars: {
		{[]byte(rows.TimeColumn), column.Time}, {[]byte("metric"), column.String}, {[]byte("labels"), column.String},
		{[]byte("value"), column.Float64}, {[]byte("exemplar"), column.String},
	},
	metadata: {
		{[]byte(rows.TimeColumn), column.Time}, {[]byte("metric"), column.String},
		{[]byte("type"), column.String}, {[]byte("help"), column.String}, {[]byte("unit"), column.String},
	},
}

// sheet is a table of the current tenant.
type sheet struct {
	batch       *column.Batch // nil while there is no row
	rows, width int           // numbers of rows and columns before the current part
	columns     [11]*column.Column
}

// reader decodes the parts of a body.
type reader struct {
	job     *rows.Job
	size    int // length of the body
	scanner remotewrite.Scanner
	table   []byte // table for the current part's samples
	name    []byte // buffer for the name of a table
	bytes   int    // length of the part's body
	sheets  [kinds]sheet

	// These fields describe the current series:
	number int    // number of the series in its part
	known  bool   // the fields `metric` and `labels` have been set
	metric []byte // refers to the body
	labels []byte // the labels as JSON

	set     labelSet
	buckets buckets
	scratch []byte
	said    map[string]struct{} // metadata of the part for which there already is a row

	// The size of the text in the rows is limited, because a small body can contain much text: each
	// sample repeats the labels of its series, and many labels may refer to the same long symbol.
	text  int64 // bytes of text in all rows
	taken int64 // bytes of text for which memory is reserved; at first the length of the body
	most  int64 // maximum of the field `text`
}

var readers = sync.Pool{New: func() any { return &reader{said: make(map[string]struct{})} }}

// decode decodes a body of parts. Its error is a [*PartError].
func decode(j *rows.Job) error {
	r := readers.Get().(*reader)
	r.job, r.size, r.text = j, len(j.Body), 0
	r.taken, r.most = int64(len(j.Body)), j.MaxText
	defer r.free()
	rest := j.Body
	for n := 0; len(rest) > 0; n++ {
		var p part
		ok := false
		if p, rest, ok = cutPart(rest); !ok {
			return &PartError{n, errors.New("the part is damaged")}
		}
		if err := r.read(p); err != nil {
			return &PartError{n, err}
		}
	}
	return nil
}

// PartError is the error of a part.
type PartError struct {
	Part int // index of the part in the body
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("part %d: %v", e.Part, e.Err) }
func (e *PartError) Unwrap() error { return e.Err }

// free returns the reader to its pool, unless the reader has become too large. It clears all
// references to memory that the reader does not own.
func (r *reader) free() {
	const most = 1 << 20
	if r.size > most || cap(r.labels)+cap(r.scratch)+cap(r.buckets.list) > most {
		return
	}
	r.job, r.table, r.metric = nil, nil, nil
	r.sheets = [kinds]sheet{}
	r.scanner.Reset(nil, remotewrite.V1)
	clear(r.set.pairs[:cap(r.set.pairs)])
	clear(r.said)
	readers.Put(r)
}

// read decodes a part.
func (r *reader) read(p part) error {
	r.table, r.bytes, r.sheets = p.table, len(p.body), [kinds]sheet{}
	clear(r.said)
	s := &r.scanner
	s.Reset(p.body, p.version)
	r.number = 0
	for v := range s.Series {
		if err := r.readSeries(v); err != nil {
			return err
		}
		r.number++
	}
	if err := s.Err(); err != nil {
		return refusal.Errorf("%+v", err)
	}
	for m := range s.Metadata {
		if err := r.addMetadata(m.Family, m); err != nil {
			return err
		}
	}
	for i := range r.sheets {
		if t := &r.sheets[i]; t.batch != nil {
			if err := r.job.Charge(t.batch, t.rows, t.width); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) readSeries(v *remotewrite.SeriesView) error {
	r.known = false
	for s := range v.Samples {
		t, err := r.row(samples, v, s.Timestamp)
		if err != nil {
			return err
		}
		t.columns[3].AppendFloat64(s.Value)
		if err := r.close(t, 4, s.StartTimestamp); err != nil {
			return err
		}
	}
	for h := range v.Histograms {
		if err := r.addHistogram(v, h); err != nil {
			return err
		}
	}
	for e := range v.Exemplars {
		if err := r.addExemplar(v, e); err != nil {
			return err
		}
	}
	if m := v.Metadata(); m.Type != 0 || len(m.Help)+len(m.Unit) > 0 {
		return r.addMetadata(metricOf(v), m)
	}
	return nil
}

// metricOf returns the metric of a series. It does not read the other labels.
func metricOf(v *remotewrite.SeriesView) []byte {
	for name, value := range v.Labels {
		if string(name) == metricName {
			return value
		}
	}
	return nil
}

// The method sheet returns the current tenant's table for a kind of data, and creates the table if
// it does not exist.
func (r *reader) sheet(k kind) (*sheet, error) {
	t := &r.sheets[k]
	if t.batch != nil {
		return t, nil
	}
	j := r.job
	r.name = append(append(r.name[:0], r.table...), suffixes[k]...)
	g, err := j.Group(r.name, true)
	if err != nil {
		return nil, err
	}
	t.batch, t.rows, t.width = g.Batch, g.Batch.Rows, len(g.Batch.Columns)
	for i, f := range fields[k] {
		if t.columns[i], err = t.batch.Column(f.name); err != nil {
			return nil, j.Fault(err)
		}
		t.columns[i].Accepts(f.kind)
	}
	if k == samples {
		c := t.columns[2] // labels are about as long as a part of version 1, and longer than a part of version 2
		c.Text = slices.Grow(c.Text, r.bytes)
	}
	return t, nil
}

// row begins a row of the series, and appends its time, metric and labels. The argument `ms` is the
// time in milliseconds.
func (r *reader) row(k kind, v *remotewrite.SeriesView, ms int64) (*sheet, error) {
	if err := r.readLabels(v); err != nil {
		return nil, err
	}
	t, err := r.sheet(k)
	if err != nil {
		return nil, err
	}
	us, err := r.micros(ms)
	if err != nil {
		return nil, err
	}
	t.columns[0].AppendTime(us)
	if err := r.appendText(t.columns[1], r.metric); err != nil {
		return nil, err
	}
	return t, r.appendText(t.columns[2], r.labels)
}

// close ends a row. The argument `ms` is a time in milliseconds. If it is not 0, close first stores
// it in a column. The argument `optional` is the index of this column.
func (r *reader) close(t *sheet, optional int, ms int64) error {
	if ms != 0 {
		us, err := r.micros(ms)
		if err != nil {
			return err
		}
		t.columns[optional].Accepts(column.Time)
		t.columns[optional].AppendTime(us)
	}
	return r.end(t)
}

// end ends a row.
func (r *reader) end(t *sheet) error {
	if err := r.job.Counted(1); err != nil {
		return err
	}
	if err := t.batch.CloseRow(); err != nil {
		return r.job.Fault(err)
	}
	r.job.Row++
	return nil
}

// micros converts a time in milliseconds to microseconds.
func (r *reader) micros(ms int64) (int64, error) {
	us, ok := rows.Milliseconds.Micros(ms)
	if !ok {
		return 0, r.refuse("the time %d in milliseconds is not in the years 1 to 9999: check it", ms)
	}
	return us, nil
}

// appendText appends a cell of text, and counts its bytes.
func (r *reader) appendText(c *column.Column, text []byte) error {
	if r.text += int64(len(text)); r.text > r.taken {
		if err := r.takeMore(); err != nil {
			return err
		}
	}
	if err := c.AppendString(text); err != nil {
		return r.job.Fault(err)
	}
	return nil
}

// textStep is the minimum number of bytes that takeMore reserves. Because of this minimum, most
// samples need no new reservation.
const textStep = 1 << 20

// takeMore reserves memory for the text for which no memory is reserved yet.
func (r *reader) takeMore() error {
	if r.text > r.most {
		return r.errTooMuch()
	}
	more := max(r.text-r.taken, textStep)
	if take := r.job.Take; take != nil {
		if err := take(more); err != nil {
			return err
		}
	}
	r.taken += more
	return nil
}

func (r *reader) errTooMuch() error {
	return refusal.New(refusal.TooLarge, "the rows of the request contain more than %d bytes of text, because each row repeats the labels of its series: send smaller batches", r.most)
}

// refuse returns an error about the current series.
func (r *reader) refuse(format string, args ...any) error {
	name := ""
	if r.known {
		name = ", " + refusal.Clip(string(r.metric)+string(r.labels))
	}
	return refusal.Errorf("series %d%s: %s", r.number, name, fmt.Sprintf(format, args...))
}

const metricName = "__name__"

// readLabels reads the metric and the labels of a series, once for all of its rows. The metric is
// the value of the first label named __name__. Further labels with this name are invalid in Remote
// Write. They are stored together with the other labels.
func (r *reader) readLabels(v *remotewrite.SeriesView) (err error) {
	if r.known || r.readPlainLabels(v) {
		return nil
	}
	r.set.reset()
	r.metric = nil
	named := false
	for name, value := range v.Labels {
		if !named && string(name) == metricName {
			r.metric, named = value, true
			continue
		}
		if err := r.addLabel(name, value, "labels"); err != nil {
			return err
		}
	}
	if !utf8.Valid(r.metric) {
		return r.errText([]byte(metricName))
	}
	r.labels, err = r.appendLabels(r.labels[:0])
	r.known = err == nil
	return err
}

// addLabel adds a label to the set. It limits the total size of the labels, because sorting
// compares their names, and many labels may refer to the same long symbol. When a record of the log
// is decoded, there is no limit, because the limit was applied before the record was written.
func (r *reader) addLabel(name, value []byte, what string) error {
	if len(r.set.pairs) >= r.job.Limits.Columns {
		return r.refuse("more than %d %s: send fewer", r.job.Limits.Columns, what)
	}
	if r.set.add(name, value); !r.job.Judged && r.set.size > r.most-r.text {
		return r.errTooMuch()
	}
	return nil
}

// readPlainLabels is the fast path of readLabels. It handles labels that are sorted and need no
// escapes; nearly all series have such labels. For other labels it returns false.
func (r *reader) readPlainLabels(v *remotewrite.SeriesView) bool {
	b, ok := append(r.labels[:0], '{'), true
	n, most := 0, r.most-r.text
	var last []byte
	r.metric = nil
	named := false
	for name, value := range v.Labels {
		if !named && string(name) == metricName {
			r.metric, named = value, true
			continue
		}
		if n++; n > 1 && bytes.Compare(last, name) >= 0 {
			ok = false
			break
		}
		last = name
		if b, ok = appendPlain(b, name, value); !ok || int64(len(b)) > most || n > r.job.Limits.Columns {
			ok = false
			break
		}
	}
	if n > 0 {
		b = b[:len(b)-1] // the comma
	}
	r.labels = append(b, '}')
	r.known = ok && utf8.Valid(r.metric)
	return r.known
}

// appendLabels appends the set of labels as JSON.
func (r *reader) appendLabels(b []byte) ([]byte, error) {
	left := r.most - r.text
	b, wrong := r.set.append(b, left)
	switch {
	case wrong != nil:
		return b, r.errText(wrong.name)
	case int64(len(b)) > left:
		return b, r.errTooMuch()
	}
	return b, nil
}

func (r *reader) errText(label []byte) error {
	return r.refuse("label %q is not UTF-8: send UTF-8", refusal.Clip(string(label)))
}

func (r *reader) addExemplar(v *remotewrite.SeriesView, e remotewrite.ExemplarView) error {
	t, err := r.row(exemplars, v, e.Timestamp)
	if err != nil {
		return err
	}
	t.columns[3].AppendFloat64(e.Value)
	r.set.reset()
	for name, value := range e.Labels {
		if err := r.addLabel(name, value, "labels in an exemplar"); err != nil {
			return err
		}
	}
	if r.scratch, err = r.appendLabels(r.scratch[:0]); err != nil {
		return err
	}
	if err := r.appendText(t.columns[4], r.scratch); err != nil {
		return err
	}
	return r.end(t)
}

var metricTypes = [...]string{"unknown", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"}

// addMetadata adds a row of metadata, unless the part already contained the same metadata. The time
// of the row is the time of receipt.
func (r *reader) addMetadata(metric []byte, m remotewrite.MetadataView) error {
	key := r.scratch[:0]
	for _, text := range [...][]byte{metric, m.Help, m.Unit} {
		key = append(binary.AppendUvarint(key, uint64(len(text))), text...)
	}
	key = binary.AppendVarint(key, int64(m.Type))
	r.scratch = key
	// The bytes of the key are counted as text even if no row is added. In version 2, many series
	// may refer to the same long help text, and each time the text must be compared.
	if r.text += int64(len(key)); r.text > r.most {
		return r.errTooMuch()
	}
	if _, known := r.said[string(key)]; known {
		return nil
	}
	if !utf8.Valid(metric) || !utf8.Valid(m.Help) || !utf8.Valid(m.Unit) {
		return refusal.Errorf("the metadata of %q is not UTF-8: send UTF-8", refusal.Clip(string(metric)))
	}
	r.said[string(key)] = struct{}{}
	t, err := r.sheet(metadata)
	if err != nil {
		return err
	}
	t.columns[0].AppendTime(r.job.Received)
	var room [len("gaugehistogram")]byte
	kind := strconv.AppendInt(room[:0], int64(m.Type), 10)
	if m.Type >= 0 && int(m.Type) < len(metricTypes) {
		kind = append(room[:0], metricTypes[m.Type]...)
	}
	for i, text := range [...][]byte{metric, kind, m.Help, m.Unit} {
		if err := r.appendText(t.columns[1+i], text); err != nil {
			return err
		}
	}
	return r.end(t)
}
