package remotewrite_test

import (
	"fmt"
	"math"

	"github.com/slipstream-go/slipstream/remotewrite"
)

func ExampleAppend() {
	r := remotewrite.Request{Series: []remotewrite.Series{{
		Labels:  []remotewrite.Label{{Name: "__name__", Value: "up"}, {Name: "job", Value: "api"}},
		Samples: []remotewrite.Sample{{Value: 1, Timestamp: 1760000000000}},
	}}}
	fmt.Printf("%d bytes of version 1, %d of version 2\n", len(remotewrite.Append(nil, remotewrite.V1, &r)), len(remotewrite.Append(nil, remotewrite.V2, &r)))
	// Output: 48 bytes of version 1, 54 of version 2
}

func ExampleDecode() {
	body := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{{
		Labels: []remotewrite.Label{{Name: "__name__", Value: "up"}, {Name: "job", Value: "api"}},
		Samples: []remotewrite.Sample{
			{Value: 1, Timestamp: 1760000000000},
			{Value: math.Float64frombits(remotewrite.StaleNaN), Timestamp: 1760000015000},
		},
	}}})

	var r remotewrite.Request // reuse it for all requests
	if err := remotewrite.Decode(body, remotewrite.V1, &r); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range r.Series {
		fmt.Println(s.Labels)
		for _, sample := range s.Samples {
			fmt.Println(sample.Timestamp, sample.Value, math.Float64bits(sample.Value) == remotewrite.StaleNaN)
		}
	}

	fmt.Println(remotewrite.Decode(body[:40], remotewrite.V1, &r))
	// Output:
	// [{__name__ up} {job api}]
	// 1760000000000 1 false
	// 1760000015000 NaN true
	// remotewrite: timeseries[0]: unexpected EOF (offset 0)
}
