package remotewrite

import (
	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/remotewrite"
)

const (
	noteDispatch = "what the article times: a body that came in zstd becomes series. Its figures, on an Apple machine, for a body that it " +
		"does not publish: prompb 127,002 ns, 193,759 B, 268 allocations; tailored 104,857 ns, 28,232 B, 111 allocations. By its profiles they " +
		"include the writing of requests that go on. Here every side decompresses into memory that is kept."
	markFound = "it builds no series, and finds the one label that the article wants of each."
)

func dispatchCases() []harness.Case {
	const group = "Benchmark_Dispatch of the article"
	var cases []harness.Case
	for _, c := range []corpus{hundred, thousands} {
		row := c.timed(group, c.name(), []harness.Bar{harness.Faster(harness.BestRival, 1)}, dispatchSides)
		row.Note = noteDispatch
		cases = append(cases, row)
	}
	return cases
}

func dispatchSides(body []byte) ([]harness.Side, error) {
	unpack, err := zstdReader(body)
	if err != nil {
		return nil, err
	}
	plain, err := unpack() // into this memory each time
	if err != nil {
		return nil, err
	}
	req, err := decoded(body, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	sides, err := decodeSides(plain, "")
	if err != nil {
		return nil, err
	}
	found := finder("", markFound, prompbFind(req, tenantLabel, nil), oursFind(plain, remotewrite.V1))
	found.How = "Scan"
	sides = append(sides, found)
	behind := func(work func() error) func() error {
		return func() error {
			if _, err := unpack(); err != nil {
				return err
			}
			return work()
		}
	}
	for i := range sides {
		s := &sides[i]
		s.Run, s.Check = behind(s.Run), behind(s.Check)
	}
	return append(sides, floor(zstdName, "decode", markDecode, body, unpack)), nil
}
