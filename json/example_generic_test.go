package json_test

import (
	"fmt"

	"github.com/slipstream-go/slipstream/json"
)

func ExampleUnmarshalOf() {
	type order struct {
		ID    int      `json:"id"`
		Items []string `json:"items"`
	}
	o, err := json.UnmarshalOf[order]([]byte(`{"id":17,"items":["tea","milk"]}`))
	fmt.Println(o, err)
	// Output: {17 [tea milk]} <nil>
}

func ExampleMarshalOf() {
	type reply struct {
		OK    bool    `json:"ok"`
		Total float64 `json:"total"`
	}
	body, err := json.MarshalOf(reply{OK: true, Total: 12.5})
	fmt.Printf("%s %v\n", body, err)
	// Output: {"ok":true,"total":12.5} <nil>
}
