package remotewrite

import (
	"errors"
	"slices"

	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/remotewrite/vtpb1"
	"github.com/slipstream-go/slipstream/bench/remotewrite/vtpb2"
	"github.com/slipstream-go/slipstream/remotewrite"
)

const (
	markSized   = "This variant gets a buffer that has exactly the size of the output. Usually, this size is not known in advance."
	markSymbols = "This variant gets a complete symbol table, and labels that already refer to the symbols."
)

func appendCases() []harness.Case {
	const group = "Append"
	bars := []harness.Bar{harness.Faster(harness.BestRival, 1)}
	var cases []harness.Case
	for _, c := range []corpus{hundred, thousands, histograms} {
		cases = append(cases, c.timed(group, c.name(), bars, appendSides))
	}
	for _, c := range []corpus{hundredTwo, thousandsTwo} {
		cases = append(cases, c.timed(group, c.name(), bars, appendSidesTwo))
	}
	return cases
}

// encoder returns a side that encodes a request.
func encoder(rival, how, mark string, want *prompb.WriteRequest, version remotewrite.Version, encode func() ([]byte, error)) harness.Side {
	run := func() error {
		_, err := encode()
		return err
	}
	check := func() error {
		for range 2 { // the second call reuses a buffer
			b, err := encode()
			if err != nil {
				return err
			}
			got, err := decoded(b, version)
			if err != nil {
				return err
			}
			if err := same(got, want); err != nil {
				return err
			}
		}
		return nil
	}
	return harness.Side{Rival: rival, How: how, Mark: mark, Run: run, Check: check}
}

func oursEncoder(want *prompb.WriteRequest, body []byte, version remotewrite.Version) (harness.Side, error) {
	r, decode := oursDecode(body, version, false)
	return encoder("", "", "", want, version, oursAppend(version, r)), decode()
}

func appendSides(body []byte) ([]harness.Side, error) {
	req, err := decoded(body, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	ours, err := oursEncoder(req, body, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	vt := new(vtpb1.WriteRequest)
	if err := vt.UnmarshalVT(body); err != nil {
		return nil, err
	}
	room := make([]byte, len(body))
	var b []byte
	return []harness.Side{
		ours,
		encoder(prompbName, "", "", req, remotewrite.V1, req.Marshal),
		encoder(prompbName, "MarshalToSizedBuffer", markSized, req, remotewrite.V1, func() ([]byte, error) {
			n, err := req.MarshalToSizedBuffer(room)
			return room[len(room)-n:], err
		}),
		encoder(vtprotoName, "", "", req, remotewrite.V1, func() (_ []byte, err error) {
			b, err = vtAppend(b, vt)
			return b, err
		}),
		copying(body),
	}, nil
}

func appendSidesTwo(body []byte) ([]harness.Side, error) {
	want, err := decoded(body, remotewrite.V2)
	if err != nil {
		return nil, err
	}
	ours, err := oursEncoder(want, body, remotewrite.V2)
	if err != nil {
		return nil, err
	}
	var req writev2.Request
	if err := req.Unmarshal(body); err != nil {
		return nil, err
	}
	given := req
	given.Timeseries = slices.Clone(req.Timeseries)
	vt, vtGiven := new(vtpb2.Request), new(vtpb2.Request)
	if err := errors.Join(vt.UnmarshalVT(body), vtGiven.UnmarshalVT(body)); err != nil {
		return nil, err
	}
	table, vtTable := writev2.NewSymbolTable(), writev2.NewSymbolTable()
	var symbolized, kept, vtSymbolized, vtKept []byte
	return []harness.Side{
		ours,
		encoder(writev2Name, "", "", want, remotewrite.V2, func() (_ []byte, err error) {
			table.Reset()
			for i := range req.Timeseries {
				s := &req.Timeseries[i]
				s.LabelsRefs = symbolize(&table, s.LabelsRefs[:0], want.Timeseries[i].Labels)
				s.Metadata.HelpRef, s.Metadata.UnitRef = table.Symbolize(want.Metadata[i].Help), table.Symbolize(want.Metadata[i].Unit)
			}
			req.Symbols = table.Symbols()
			symbolized, err = req.OptimizedMarshal(symbolized[:0])
			return symbolized, err
		}),
		encoder(writev2Name, "symbols given", markSymbols, want, remotewrite.V2, func() (_ []byte, err error) {
			kept, err = given.OptimizedMarshal(kept[:0])
			return kept, err
		}),
		encoder(vtprotoName, "", "", want, remotewrite.V2, func() (_ []byte, err error) {
			vtTable.Reset()
			for i, s := range vt.Timeseries {
				s.LabelsRefs = symbolize(&vtTable, s.LabelsRefs[:0], want.Timeseries[i].Labels)
				s.Metadata.HelpRef, s.Metadata.UnitRef = vtTable.Symbolize(want.Metadata[i].Help), vtTable.Symbolize(want.Metadata[i].Unit)
			}
			vt.Symbols = vtTable.Symbols()
			vtSymbolized, err = vtAppend(vtSymbolized, vt)
			return vtSymbolized, err
		}),
		encoder(vtprotoName, "symbols given", markSymbols, want, remotewrite.V2, func() (_ []byte, err error) {
			vtKept, err = vtAppend(vtKept, vtGiven)
			return vtKept, err
		}),
	}, nil
}

// symbolize appends references to labels, and adds missing symbols to the table.
func symbolize(table *writev2.SymbolsTable, refs []uint32, labels []prompb.Label) []uint32 {
	for _, l := range labels {
		refs = append(refs, table.Symbolize(l.Name), table.Symbolize(l.Value))
	}
	return refs
}
