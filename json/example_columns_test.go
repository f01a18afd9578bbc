package json_test

import (
	"fmt"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/json"
)

// ParseColumns decodes a batch into typed slices. The next batch reuses them.
func ExampleParseColumns() {
	var batch column.Batch
	for _, body := range []string{
		`{"time": [1, 2], "host": ["a", "b"], "load": [0.5, 1]}`,
		`[{"time": 3, "host": "c", "load": 2}, {"time": 4, "load": 0.25}]`,
	} {
		batch.Reset()
		if err := json.ParseColumns([]byte(body), &batch); err != nil {
			panic(err)
		}
		times, hosts, loads := batch.Find("time"), batch.Find("host"), batch.Find("load")
		for i := range batch.Rows {
			fmt.Printf("%d %q %v %v\n", times.Ints[i], hosts.StringAt(i), hosts.IsNull(i), loads.Floats[i])
		}
	}
	// Output:
	// 1 "a" false 0.5
	// 2 "b" false 1
	// 3 "c" false 2
	// 4 "" true 0.25
}

// An error contains the row, the column and the offset in the input. The rows before it remain
// valid.
func ExampleParseLines() {
	var batch column.Batch
	err := json.ParseLines([]byte(`{"time": 1, "load": 0.5}
{"time": 2, "load": "high"}
`), &batch)
	fmt.Printf("%+v\n", err)
	batch.Undo()
	fmt.Println(batch.Rows)
	// Output:
	// json: a string in a column of float64 in [1].load, at byte 45
	// 1
}
