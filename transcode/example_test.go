package transcode_test

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/transcode"
)

func ExampleAppendJSON() {
	data, err := msgpack.Marshal([]any{"caf\u00e9", 1.5, uint64(math.MaxUint64), []byte{1, 2, 3}, nil})
	if err != nil {
		panic(err)
	}
	text, err := transcode.AppendJSON(nil, data, 0)
	fmt.Printf("%s %v\n", text, err)
	// Output: ["café",1.5,18446744073709551615,"AQID",null] <nil>
}

// A value that JSON cannot represent is an error with path and offset. A flag can select a
// replacement instead.
func ExampleFlags() {
	data, err := msgpack.Marshal(map[string]any{"loads": []float64{0.5, math.NaN()}})
	if err != nil {
		panic(err)
	}
	_, err = transcode.AppendJSON(nil, data, 0)
	fmt.Printf("%+v\n", err)
	text, err := transcode.AppendJSON(nil, data, transcode.NonFiniteAsNull)
	fmt.Printf("%s %v\n", text, err)
	// Output:
	// transcode: NaN or an infinity, which JSON does not have in loads[1], at byte 17
	// {"loads":[0.5,null]} <nil>
}

func ExampleAppendMessagePack() {
	data, err := transcode.AppendMessagePack(nil, []byte(`{"id": 300, "load": 0.5, "tags": ["a", "b"]}`), 0)
	fmt.Printf("% x %v\n", data, err)
	// Output: 83 a2 69 64 cd 01 2c a4 6c 6f 61 64 cb 3f e0 00 00 00 00 00 00 a4 74 61 67 73 92 a1 61 a1 62 <nil>
}

// WriteJSON converts a stream of MessagePack to lines of JSON. It writes each complete value before
// it waits for more input.
func ExampleWriteJSON() {
	stream := strings.NewReader("\x01\x82\xa2id\x02\xa2ok\xc3\xc0")
	if err := transcode.WriteJSON(os.Stdout, stream, 0); err != nil {
		panic(err)
	}
	// Output:
	// 1
	// {"id":2,"ok":true}
	// null
}

func ExampleWriteMessagePack() {
	lines := strings.NewReader("{\"id\":1}\n[2,3]\n")
	var out strings.Builder
	if err := transcode.WriteMessagePack(&out, lines, 0); err != nil {
		panic(err)
	}
	fmt.Printf("% x\n", out.String())
	// Output: 81 a2 69 64 01 92 02 03
}
