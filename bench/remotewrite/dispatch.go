package remotewrite

import (
	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/remotewrite"
)

const (
	noteDispatch = "As in the article's benchmark, every library decompresses a zstd body and decodes its series. The " +
		"article's figures were measured on an Apple machine, with a request body that is not published. In these figures, " +
		"prompb takes 127,002 ns, 193,759 B and 268 allocations; `tailored` takes 104,857 ns, 28,232 B and 111 allocations. " +
		"According to the article's profiles, these figures include the time to write the requests that are passed on. In this " +
		"benchmark, every library decompresses into reused memory."
	notePassedOn = "Every library decodes the series, and then writes an uncompressed request for each of ten tenants. The " +
		"article leaves out this second step."
	markFound = "This variant does not decode series into Go values. For each series, it only finds the label that the " +
		"article's program needs."
)

func dispatchCases() []harness.Case {
	const group = "Benchmark_Dispatch of the article"
	var cases []harness.Case
	add := func(c corpus, name, note string, work func(plain []byte) ([]harness.Side, error)) {
		row := c.timed(group, name, []harness.Bar{harness.Faster(harness.BestRival, 1)}, func(body []byte) ([]harness.Side, error) {
			return dispatchSides(body, work)
		})
		row.Note = note
		cases = append(cases, row)
	}
	for _, c := range []corpus{hundred, thousands} {
		add(c, c.name(), noteDispatch, dispatchDecode)
	}
	for _, c := range []corpus{hundred.of(10, true), thousands.of(10, true)} {
		add(c, c.name()+", passed on", notePassedOn, func(plain []byte) ([]harness.Side, error) { return splitters(plain, false, "") })
	}
	return cases
}

// dispatchDecode returns sides that decode the body, and one that only finds the label.
func dispatchDecode(plain []byte) ([]harness.Side, error) {
	req, err := decoded(plain, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	sides, err := decodeSides(plain, "")
	if err != nil {
		return nil, err
	}
	found := finder("", markFound, prompbFind(req, nil), oursFind(plain, remotewrite.V1))
	found.How = "Scan"
	return append(sides, found), nil
}

// dispatchSides adds the decompression of the body to the work of each side.
func dispatchSides(body []byte, work func(plain []byte) ([]harness.Side, error)) ([]harness.Side, error) {
	unpack, err := zstdReader(body)
	if err != nil {
		return nil, err
	}
	plain, err := unpack() // each call overwrites this memory
	if err != nil {
		return nil, err
	}
	sides, err := work(plain)
	if err != nil {
		return nil, err
	}
	through := func(work func() error) func() error {
		return func() error {
			if _, err := unpack(); err != nil {
				return err
			}
			return work()
		}
	}
	for i := range sides {
		s := &sides[i]
		s.Run, s.Check = through(s.Run), through(s.Check)
	}
	return append(sides, floor(zstdName, "decode", markDecode, body, unpack)), nil
}
