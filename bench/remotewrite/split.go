package remotewrite

import (
	"fmt"
	"slices"

	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/remotewrite"
)

func splitCases() []harness.Case {
	var cases []harness.Case
	for _, remove := range []bool{false, true} {
		group := "Split by tenant"
		if remove {
			group += ", label removed"
		}
		for _, c := range []corpus{
			hundred.of(10, true), hundred.of(50, true),
			thousands.of(1, false), thousands, thousands.of(10, true), thousands.of(50, false), thousands.of(50, true),
			histograms,
		} {
			bars := []harness.Bar{harness.Throughput(2), harness.Allocs(0)}
			cases = append(cases, c.timed(group, c.split(), bars, func(body []byte) ([]harness.Side, error) {
				return splitSides(body, remove, c.passes())
			}))
		}
		for _, c := range []corpus{thousandsTwo.of(1, false), thousandsTwo.of(10, true), thousandsTwo.of(50, true), histogramsTwo} {
			cases = append(cases, c.timed(group, c.split(), noneFaster(), func(body []byte) ([]harness.Side, error) {
				return splitSidesTwo(body, remove)
			}))
		}
	}
	return cases
}

// split returns the name of a row.
func (c corpus) split() string {
	switch {
	case c.tenants == 1:
		return c.name() + ", 1 tenant"
	case c.mixed:
		return fmt.Sprintf("%s, %d tenants mixed", c.name(), c.tenants)
	}
	return fmt.Sprintf("%s, %d tenants in runs", c.name(), c.tenants)
}

// parts contains requests by tenant, in the order in which the tenants first occur.
type parts struct {
	tenants  []string
	requests map[string]*prompb.WriteRequest
}

// partsOf splits a request by tenant. With remove, it removes the tenant label from the series. The
// metadata of version 1 belong to no tenant, and the metadata of version 2 belong to their series.
func partsOf(req *prompb.WriteRequest, version remotewrite.Version, remove bool) parts {
	p := parts{requests: map[string]*prompb.WriteRequest{}}
	for i := range req.Timeseries {
		s := req.Timeseries[i]
		tenant := prompbLabel(&s, tenantLabel)
		part := p.requests[tenant]
		if part == nil {
			part = new(prompb.WriteRequest)
			p.requests[tenant] = part
			p.tenants = append(p.tenants, tenant)
		}
		if remove {
			s.Labels = slices.DeleteFunc(s.Labels, func(l prompb.Label) bool { return l.Name == tenantLabel })
		}
		part.Timeseries = append(part.Timeseries, s)
		if version == remotewrite.V2 {
			part.Metadata = append(part.Metadata, req.Metadata[i])
		}
	}
	return p
}

// write encodes the requests, and passes them to each.
func (p parts) write(each func(tenant string, part []byte)) error {
	for _, tenant := range p.tenants {
		b, err := p.requests[tenant].Marshal()
		if err != nil {
			return err
		}
		if each != nil {
			each(tenant, b)
		}
	}
	return nil
}

// splitter returns a side that splits a request by tenant.
func splitter(
	rival, mark string, want parts, version remotewrite.Version, split func(each func(tenant string, part []byte)) error,
) harness.Side {
	check := func() error {
		var tenants []string
		var wrong error
		err := split(func(tenant string, part []byte) {
			tenants = append(tenants, tenant)
			got, err := decoded(part, version)
			if err == nil && want.requests[tenant] != nil {
				err = same(got, want.requests[tenant])
			}
			if err != nil && wrong == nil {
				wrong = fmt.Errorf("tenant %s: %w", tenant, err)
			}
		})
		if err != nil {
			return err
		}
		if !slices.Equal(tenants, want.tenants) {
			return fmt.Errorf("the tenants are %q, want %q", tenants, want.tenants)
		}
		return wrong
	}
	return harness.Side{Rival: rival, Mark: mark, Run: func() error { return split(nil) }, Check: check}
}

// splitSides returns the sides for version 1. mark is the mark of tailored.
func splitSides(body []byte, remove bool, mark string) ([]harness.Side, error) {
	sides, err := splitters(body, remove, mark)
	return append(sides, copying(body), snappyRelaying(body)), err
}

// splitters returns the sides that split.
func splitters(body []byte, remove bool, mark string) ([]harness.Side, error) {
	req, err := decoded(body, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	less := tailoredPart(req)
	for i := range less.Timeseries {
		less.Timeseries[i].Labels = slices.Clone(less.Timeseries[i].Labels) // because the label may be removed from the slice
	}
	want, wantLess := partsOf(req, remotewrite.V1, remove), partsOf(less, remotewrite.V1, remove)
	return []harness.Side{
		splitter("", "", want, remotewrite.V1, oursSplit(body, remotewrite.V1, remove)),
		splitter(prompbName, "", want, remotewrite.V1, func(each func(string, []byte)) error {
			var req prompb.WriteRequest
			if err := req.Unmarshal(body); err != nil {
				return err
			}
			return partsOf(&req, remotewrite.V1, remove).write(each)
		}),
		splitter(vtprotoName, "", want, remotewrite.V1, vtSplit(body, remove)),
		splitter(tailoredName, mark, wantLess, remotewrite.V1, func(each func(string, []byte)) error {
			list, release, err := tailoredUnmarshal(body)
			if err != nil {
				return err
			}
			defer release()
			req := prompb.WriteRequest{Timeseries: make([]prompb.TimeSeries, len(list))}
			for i, s := range list {
				req.Timeseries[i] = *s
			}
			return partsOf(&req, remotewrite.V1, remove).write(each)
		}),
	}, nil
}

func splitSidesTwo(body []byte, remove bool) ([]harness.Side, error) {
	req, err := decoded(body, remotewrite.V2)
	if err != nil {
		return nil, err
	}
	want := partsOf(req, remotewrite.V2, remove)
	return []harness.Side{
		splitter("", "", want, remotewrite.V2, oursSplit(body, remotewrite.V2, remove)),
		splitter(writev2Name, "", want, remotewrite.V2, func(each func(string, []byte)) error { return writev2Split(body, remove, each) }),
		splitter(vtprotoName, "", want, remotewrite.V2, vtSplitTwo(body, remove)),
		snappyRelaying(body),
	}, nil
}

// partTwo is the request of a tenant, with its own symbols.
type partTwo struct {
	writev2.Request
	table writev2.SymbolsTable
}

// rewrite replaces references to the symbols of a request by references to the symbols of a part.
// It omits the label named without, if without is not empty.
func rewrite(table *writev2.SymbolsTable, refs []uint32, symbols []string, without string) []uint32 {
	kept := refs[:0]
	for i := 0; i+1 < len(refs); i += 2 {
		if name := symbols[refs[i]]; without == "" || name != without {
			kept = append(kept, table.Symbolize(name), table.Symbolize(symbols[refs[i+1]]))
		}
	}
	return kept
}

func writev2Split(body []byte, remove bool, each func(tenant string, part []byte)) error {
	var req writev2.Request
	if err := req.Unmarshal(body); err != nil {
		return err
	}
	without := ""
	if remove {
		without = tenantLabel
	}
	all := map[string]*partTwo{}
	var tenants []string
	for i := range req.Timeseries {
		s := &req.Timeseries[i]
		tenant := writev2Label(req.Symbols, s.LabelsRefs, tenantLabel)
		part := all[tenant]
		if part == nil {
			part = &partTwo{table: writev2.NewSymbolTable()}
			all[tenant] = part
			tenants = append(tenants, tenant)
		}
		s.LabelsRefs = rewrite(&part.table, s.LabelsRefs, req.Symbols, without)
		for j := range s.Exemplars {
			s.Exemplars[j].LabelsRefs = rewrite(&part.table, s.Exemplars[j].LabelsRefs, req.Symbols, "")
		}
		s.Metadata.HelpRef = part.table.Symbolize(req.Symbols[s.Metadata.HelpRef])
		s.Metadata.UnitRef = part.table.Symbolize(req.Symbols[s.Metadata.UnitRef])
		part.Timeseries = append(part.Timeseries, *s)
	}
	for _, tenant := range tenants {
		part := all[tenant]
		part.Symbols = part.table.Symbols()
		b, err := part.OptimizedMarshal(nil)
		if err != nil {
			return err
		}
		if each != nil {
			each(tenant, b)
		}
	}
	return nil
}
