package remotewrite

import (
	"reflect"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/slipstream-go/slipstream/bench/remotewrite/vtpb1"
	"github.com/slipstream-go/slipstream/bench/remotewrite/vtpb2"
)

// This file contains every call of code that vtprotobuf generates. Requests are reused after
// ResetVT, with all of their memory, including nested messages. If texts need not outlive the body,
// they are views of it.

// vtRequest is a request of version 1 or 2.
type vtRequest interface {
	ResetVT()
	UnmarshalVT(b []byte) error
	UnmarshalVTUnsafe(b []byte) error
	SizeVT() int
	MarshalToSizedBufferVT(b []byte) (int, error)
}

// vtDecode returns a function that decodes into a request. With view, the texts are views of the
// body; otherwise they are copies.
func vtDecode(req vtRequest, body []byte, view bool) func() error {
	unmarshal := req.UnmarshalVT
	if view {
		unmarshal = req.UnmarshalVTUnsafe
	}
	return func() error {
		req.ResetVT()
		return unmarshal(body)
	}
}

// vtAppend encodes a request into b, and overwrites its contents.
func vtAppend(b []byte, req vtRequest) ([]byte, error) {
	n := req.SizeVT()
	b = slices.Grow(b[:0], n)[:n]
	_, err := req.MarshalToSizedBufferVT(b)
	return b, err
}

func vtFind(body []byte) func(values []string) ([]string, error) {
	req := new(vtpb1.WriteRequest)
	decode := vtDecode(req, body, true)
	return func(values []string) ([]string, error) {
		err := decode()
		for _, s := range req.Timeseries {
			values = append(values, vtLabel(s, tenantLabel))
		}
		return values, err
	}
}

// vtLabel returns the value of a label, or "".
func vtLabel(s *vtpb1.TimeSeries, name string) string {
	for _, l := range s.Labels {
		if l.Name == name {
			return l.Value
		}
	}
	return ""
}

func vtFindTwo(body []byte) func(values []string) ([]string, error) {
	req := new(vtpb2.Request)
	decode := vtDecode(req, body, true)
	return func(values []string) ([]string, error) {
		err := decode()
		for _, s := range req.Timeseries {
			values = append(values, writev2Label(req.Symbols, s.LabelsRefs, tenantLabel))
		}
		return values, err
	}
}

func vtRead(body []byte) func() (tally, error) {
	req := new(vtpb1.WriteRequest)
	decode := vtDecode(req, body, true)
	return func() (t tally, _ error) {
		err := decode()
		for _, s := range req.Timeseries {
			t.series++
			for _, l := range s.Labels {
				label(&t, l.Name, l.Value)
			}
			for _, x := range s.Samples {
				t.sample(x.Value, x.Timestamp)
			}
			for _, e := range s.Exemplars {
				for _, l := range e.Labels {
					label(&t, l.Name, l.Value)
				}
				t.exemplar(e.Value, e.Timestamp)
			}
			for _, h := range s.Histograms {
				t.histogram(h.Timestamp)
			}
		}
		return t, err
	}
}

func vtReadTwo(body []byte) func() (tally, error) {
	req := new(vtpb2.Request)
	decode := vtDecode(req, body, true)
	return func() (t tally, _ error) {
		err := decode()
		for _, s := range req.Timeseries {
			t.series++
			references(&t, req.Symbols, s.LabelsRefs)
			for _, x := range s.Samples {
				t.sample(x.Value, x.Timestamp)
			}
			for _, e := range s.Exemplars {
				references(&t, req.Symbols, e.LabelsRefs)
				t.exemplar(e.Value, e.Timestamp)
			}
			for _, h := range s.Histograms {
				t.histogram(h.Timestamp)
			}
		}
		return t, err
	}
}

// vtSplit returns a function that passes each part to each. A part is valid until the next one.
func vtSplit(body []byte, remove bool) func(each func(tenant string, part []byte)) error {
	req := new(vtpb1.WriteRequest)
	decode := vtDecode(req, body, true)
	by := map[string]*vtpb1.WriteRequest{}
	var tenants []string
	var b []byte
	return func(each func(string, []byte)) error {
		if err := decode(); err != nil {
			return err
		}
		tenants = tenants[:0]
		for _, part := range by {
			part.Timeseries = part.Timeseries[:0] // no ResetVT, because the series belong to req
		}
		for _, s := range req.Timeseries {
			tenant := vtLabel(s, tenantLabel)
			part := by[tenant]
			if part == nil {
				part = new(vtpb1.WriteRequest)
				by[strings.Clone(tenant)] = part
			}
			if len(part.Timeseries) == 0 {
				tenants = append(tenants, tenant)
			}
			if remove {
				vtRemove(s, tenantLabel)
			}
			part.Timeseries = append(part.Timeseries, s)
		}
		for _, tenant := range tenants {
			var err error
			if b, err = vtAppend(b, by[tenant]); err != nil {
				return err
			}
			if each != nil {
				each(tenant, b)
			}
		}
		return nil
	}
}

// vtRemove removes a label from a series, and keeps its memory in the series.
func vtRemove(s *vtpb1.TimeSeries, name string) {
	last := len(s.Labels) - 1
	for i, l := range s.Labels {
		if l.Name == name {
			l.ResetVT()
			copy(s.Labels[i:], s.Labels[i+1:])
			s.Labels[last] = l
			s.Labels = s.Labels[:last]
			return
		}
	}
}

// vtPart is the request of a tenant, with its own symbols.
type vtPart struct {
	vtpb2.Request
	table writev2.SymbolsTable
}

// vtSplitTwo is vtSplit for version 2.
func vtSplitTwo(body []byte, remove bool) func(each func(tenant string, part []byte)) error {
	req := new(vtpb2.Request)
	decode := vtDecode(req, body, true)
	without := ""
	if remove {
		without = tenantLabel
	}
	by := map[string]*vtPart{}
	var tenants []string
	var b []byte
	return func(each func(string, []byte)) error {
		if err := decode(); err != nil {
			return err
		}
		tenants = tenants[:0]
		for _, part := range by {
			part.Timeseries = part.Timeseries[:0] // no ResetVT, because the series belong to req
			part.table.Reset()
		}
		for _, s := range req.Timeseries {
			tenant := writev2Label(req.Symbols, s.LabelsRefs, tenantLabel)
			part := by[tenant]
			if part == nil {
				part = &vtPart{table: writev2.NewSymbolTable()}
				by[strings.Clone(tenant)] = part
			}
			if len(part.Timeseries) == 0 {
				tenants = append(tenants, tenant)
			}
			s.LabelsRefs = rewrite(&part.table, s.LabelsRefs, req.Symbols, without)
			for _, e := range s.Exemplars {
				e.LabelsRefs = rewrite(&part.table, e.LabelsRefs, req.Symbols, "")
			}
			if m := s.Metadata; m != nil {
				m.HelpRef, m.UnitRef = part.table.Symbolize(req.Symbols[m.HelpRef]), part.table.Symbolize(req.Symbols[m.UnitRef])
			}
			part.Timeseries = append(part.Timeseries, s)
		}
		for _, tenant := range tenants {
			part := by[tenant]
			part.Symbols = part.table.Symbols()
			var err error
			if b, err = vtAppend(b, &part.Request); err != nil {
				return err
			}
			if each != nil {
				each(tenant, b)
			}
		}
		return nil
	}
}

// vtPlain converts a request to prompb.
func vtPlain(vt *vtpb1.WriteRequest) *prompb.WriteRequest {
	req := new(prompb.WriteRequest)
	translate(reflect.ValueOf(req).Elem(), reflect.ValueOf(vt))
	return req
}

// vtPlainTwo converts a request of version 2 to version 1 of prompb.
func vtPlainTwo(vt *vtpb2.Request) *prompb.WriteRequest {
	req := new(writev2.Request)
	translate(reflect.ValueOf(req).Elem(), reflect.ValueOf(vt))
	one, err := resolved(req)
	if err != nil {
		return nil
	}
	return one
}

// oneofs lists the types in the oneofs of gogo protobuf.
var oneofs = slices.Concat(new(prompb.Histogram).XXX_OneofWrappers(), new(writev2.Histogram).XXX_OneofWrappers())

// translate converts a message of vtprotobuf, or a part of it, to gogo protobuf. The fields have
// the same names.
func translate(to, from reflect.Value) {
	switch {
	case from.Kind() == reflect.Pointer || from.Kind() == reflect.Interface:
		if !from.IsNil() {
			translate(to, from.Elem())
		}
	case to.Kind() == reflect.Struct:
		for i := range to.NumField() {
			if name := to.Type().Field(i).Name; !strings.HasPrefix(name, "XXX_") {
				translate(to.Field(i), from.FieldByName(name))
			}
		}
	case to.Kind() == reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			translate(to.Index(i), from.Index(i))
		}
	case to.Kind() == reflect.Interface:
		for _, one := range oneofs {
			t := reflect.TypeOf(one)
			if t.AssignableTo(to.Type()) && t.Elem().Name() == from.Type().Name() {
				to.Set(reflect.New(t.Elem()))
				translate(to.Elem().Elem(), from)
			}
		}
	default:
		to.Set(from.Convert(to.Type()))
	}
}
