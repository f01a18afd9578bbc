package msgpack

import (
	"testing"
)

// kin refers to its parent. So a reused target can refer back to a slice that is being decoded.
type kin struct {
	Parent *kin
	Nodes  []kin
	N      int
}

// An element may set, through its parent, the slice that contains the element. The elements after
// it are not written beyond the end of the new slice.
func TestDecodeThroughParent(t *testing.T) {
	for _, inner := range []any{nil, []any{}, []any{map[string]any{"N": 7}}, make([]any, 9)} {
		data, err := Marshal(map[string]any{"Nodes": []any{
			map[string]any{"N": 1, "Parent": map[string]any{"Nodes": inner}},
			map[string]any{"N": 2}, map[string]any{"N": 3}, map[string]any{"N": 4},
		}})
		if err != nil {
			t.Fatal(err)
		}
		var root kin
		root.Nodes = make([]kin, 1, 4)
		for i := range root.Nodes[:4] {
			root.Nodes[:4][i].Parent = &root
		}
		if err := Unmarshal(data, &root); err != nil {
			t.Fatal(err)
		}
		if len(root.Nodes) != 4 || cap(root.Nodes) < 4 || root.Nodes[3].N != 4 || root.Nodes[1].N != 2 {
			t.Errorf("with %v in the middle: %d nodes of %d: %+v", inner, len(root.Nodes), cap(root.Nodes), root.Nodes)
		}
	}
}
