package remotewrite

import (
	"bytes"

	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/remotewrite/vtpb1"
	"github.com/slipstream-go/slipstream/bench/remotewrite/vtpb2"
	"github.com/slipstream-go/slipstream/remotewrite"
)

const (
	views     = "views"
	markViews = "The decoded strings of this variant are views of the body, not copies."
)

func decodeCases() []harness.Case {
	const group = "Decode"
	bars := []harness.Bar{harness.Faster(prompbName, 6), harness.Faster(tailoredName, 2.5), harness.Faster(harness.BestRival, 1)}
	var cases []harness.Case
	for _, c := range []corpus{hundred, thousands, thousands.of(50, true), histograms} {
		name := c.name()
		if c.mixed {
			name = c.split()
		}
		cases = append(cases, c.timed(group, name, bars, func(body []byte) ([]harness.Side, error) { return decodeSides(body, c.passes()) }))
	}
	for _, c := range []corpus{hundredTwo, thousandsTwo, histogramsTwo} {
		cases = append(cases, c.timed(group, c.name(), []harness.Bar{harness.Faster(writev2Name, 1)}, decodeSidesTwo))
	}
	return cases
}

// decoder returns a side that decodes. value returns the result, converted to prompb.
func decoder(rival, how, mark string, want *prompb.WriteRequest, decode func() error, value func() *prompb.WriteRequest) harness.Side {
	check := func() error {
		for range 2 { // the second decode finds used memory
			if err := decode(); err != nil {
				return err
			}
			if err := same(value(), want); err != nil {
				return err
			}
		}
		return nil
	}
	return harness.Side{Rival: rival, How: how, Mark: mark, Run: decode, Check: check}
}

func oursDecoder(how, mark string, want *prompb.WriteRequest, body []byte, version remotewrite.Version) harness.Side {
	r, decode := oursDecode(body, version, how == views)
	return decoder("", how, mark, want, decode, func() *prompb.WriteRequest { return plain(r, version) })
}

func vtDecoder(how, mark string, want *prompb.WriteRequest, body []byte) harness.Side {
	req := new(vtpb1.WriteRequest)
	return decoder(vtprotoName, how, mark, want, vtDecode(req, body, how == views), func() *prompb.WriteRequest { return vtPlain(req) })
}

func vtDecoderTwo(how, mark string, want *prompb.WriteRequest, body []byte) harness.Side {
	req := new(vtpb2.Request)
	return decoder(vtprotoName, how, mark, want, vtDecode(req, body, how == views), func() *prompb.WriteRequest { return vtPlainTwo(req) })
}

// decodeSides returns the sides for version 1. mark is the mark of tailored.
func decodeSides(body []byte, mark string) ([]harness.Side, error) {
	want, err := decoded(body, remotewrite.V1)
	if err != nil {
		return nil, err
	}
	var theirs *prompb.WriteRequest
	var list []*prompb.TimeSeries
	own, view := new(easyRequest), new(easyRequest)
	return []harness.Side{
		oursDecoder("", "", want, body, remotewrite.V1),
		decoder(prompbName, "", "", want,
			func() error {
				theirs = new(prompb.WriteRequest) // releases the value of the previous decode, so that the live heap stays small
				return theirs.Unmarshal(body)
			}, func() *prompb.WriteRequest { return theirs }),
		vtDecoder("", "", want, body),
		decoder(easyprotoName, "", "", want, func() error { return own.unmarshal(bytes.Clone(body)) }, own.plain),
		decoder(tailoredName, "", mark, tailoredPart(want),
			func() (err error) {
				var release func()
				list, release, err = tailoredUnmarshal(body)
				release()
				return err
			}, func() *prompb.WriteRequest {
				req := new(prompb.WriteRequest)
				for _, s := range list {
					req.Timeseries = append(req.Timeseries, *s)
				}
				return req
			}),
		oursDecoder(views, markViews, want, body, remotewrite.V1),
		vtDecoder(views, markViews, want, body),
		decoder(easyprotoName, views, markViews, want, func() error { return view.unmarshal(body) }, view.plain),
	}, nil
}

func decodeSidesTwo(body []byte) ([]harness.Side, error) {
	want, err := decoded(body, remotewrite.V2)
	if err != nil {
		return nil, err
	}
	var theirs *writev2.Request
	return []harness.Side{
		oursDecoder("", "", want, body, remotewrite.V2),
		decoder(writev2Name, "", "", want,
			func() error {
				theirs = new(writev2.Request)
				return theirs.Unmarshal(body)
			}, func() *prompb.WriteRequest {
				req, err := resolved(theirs)
				if err != nil {
					return nil
				}
				return req
			}),
		vtDecoderTwo("", "", want, body),
		oursDecoder(views, markViews, want, body, remotewrite.V2),
		vtDecoderTwo(views, markViews, want, body),
	}, nil
}
