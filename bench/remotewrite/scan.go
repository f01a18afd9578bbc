package remotewrite

import (
	"fmt"

	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/remotewrite"
)

func findCases() []harness.Case {
	const group = "Scan for one label"
	var cases []harness.Case
	for _, c := range []corpus{hundred, thousands, histograms} {
		cases = append(cases, c.timed(group, c.name(), []harness.Bar{harness.Faster(prompbName, 20), harness.Allocs(0)}, findSides))
	}
	for _, c := range []corpus{hundredTwo, thousandsTwo, histogramsTwo} {
		cases = append(cases, c.timed(group, c.name(), noneFaster(), findSidesTwo))
	}
	return cases
}

// finder returns a side that finds the tenant of each series. The texts may be views that are valid
// until the next operation.
func finder[T string | []byte](rival, mark string, want []string, find func(values []T) ([]T, error)) harness.Side {
	var values []T
	run := func() (err error) {
		values, err = find(values[:0])
		return err
	}
	check := func() error {
		if err := run(); err != nil {
			return err
		}
		if len(values) != len(want) {
			return fmt.Errorf("%d tenants, want %d", len(values), len(want))
		}
		for i, value := range values {
			if string(value) != want[i] {
				return fmt.Errorf("tenant %d is %q, want %q", i, value, want[i])
			}
		}
		return nil
	}
	return harness.Side{Rival: rival, Mark: mark, Run: run, Check: check}
}

func findSides(body []byte) ([]harness.Side, error) {
	req, err := decoded(body, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	want := prompbFind(req, nil)
	unpacking, err := zstdDecoding(body)
	return []harness.Side{
		finder("", "", want, oursFind(body, remotewrite.V1)),
		finder(prompbName, "", want, func(values []string) ([]string, error) {
			var req prompb.WriteRequest
			err := req.Unmarshal(body)
			return prompbFind(&req, values), err
		}),
		finder(vtprotoName, "", want, vtFind(body)),
		finder(easyprotoName, "", want, func(values []string) ([]string, error) { return easyFind(body, tenantLabel, values) }),
		finder(tailoredName, "", want, func(values []string) ([]string, error) {
			list, release, err := tailoredUnmarshal(body)
			for _, s := range list {
				values = append(values, prompbLabel(s, tenantLabel))
			}
			release()
			return values, err
		}),
		copying(body), snappyDecoding(body), unpacking,
	}, err
}

func findSidesTwo(body []byte) ([]harness.Side, error) {
	req, err := decoded(body, remotewrite.V2)
	if err != nil {
		return nil, err
	}
	want := prompbFind(req, nil)
	return []harness.Side{
		finder("", "", want, oursFind(body, remotewrite.V2)),
		finder(writev2Name, "", want, func(values []string) ([]string, error) {
			var req writev2.Request
			err := req.Unmarshal(body)
			return writev2Find(&req, tenantLabel, values), err
		}),
		finder(vtprotoName, "", want, vtFindTwo(body)),
	}, nil
}

func readCases() []harness.Case {
	const group = "Scan everything"
	var cases []harness.Case
	for _, c := range []corpus{hundred, thousands, histograms} {
		cases = append(cases, c.timed(group, c.name(), noneFaster(), func(body []byte) ([]harness.Side, error) {
			return readSides(body, c.passes())
		}))
	}
	for _, c := range []corpus{hundredTwo, thousandsTwo, histogramsTwo} {
		cases = append(cases, c.timed(group, c.name(), noneFaster(), readSidesTwo))
	}
	return cases
}

// reader returns a side that reads everything. want is the expected tally.
func reader(rival, mark string, want tally, read func() (tally, error)) harness.Side {
	run := func() error {
		_, err := read()
		return err
	}
	check := func() error {
		got, err := read()
		if err == nil {
			err = got.check(want)
		}
		return err
	}
	return harness.Side{Rival: rival, Mark: mark, Run: run, Check: check}
}

// readSides returns the sides for version 1. mark is the mark of tailored.
func readSides(body []byte, mark string) ([]harness.Side, error) {
	req, err := decoded(body, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	want := prompbRead(req)
	easy := new(easyRequest)
	return []harness.Side{
		reader("", "", want, oursRead(body, remotewrite.V1)),
		reader(prompbName, "", want, func() (tally, error) {
			var req prompb.WriteRequest
			err := req.Unmarshal(body)
			return prompbRead(&req), err
		}),
		reader(vtprotoName, "", want, vtRead(body)),
		reader(easyprotoName, "", want, func() (tally, error) {
			err := easy.unmarshal(body)
			return easy.read(), err
		}),
		reader(tailoredName, mark, prompbRead(tailoredPart(req)), func() (t tally, _ error) {
			list, release, err := tailoredUnmarshal(body)
			for _, s := range list {
				prompbReadSeries(&t, s)
			}
			release()
			return t, err
		}),
	}, nil
}

func readSidesTwo(body []byte) ([]harness.Side, error) {
	req, err := decoded(body, remotewrite.V2)
	if err != nil {
		return nil, err
	}
	want := prompbRead(req)
	return []harness.Side{
		reader("", "", want, oursRead(body, remotewrite.V2)),
		reader(writev2Name, "", want, func() (tally, error) {
			var req writev2.Request
			err := req.Unmarshal(body)
			return writev2Read(&req), err
		}),
		reader(vtprotoName, "", want, vtReadTwo(body)),
	}, nil
}
