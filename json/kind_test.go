package json

import "testing"

func TestKindClass(t *testing.T) {
	for class, kinds := range map[Kind][]Kind{
		Undefined: {Undefined},
		Null:      {Null},
		Bool:      {Bool, False, True},
		Num:       {Num, Uint, Int, Float},
		String:    {String, Unescaped},
		Array:     {Array},
		Object:    {Object},
	} {
		for _, k := range kinds {
			if k.Class() != class {
				t.Errorf("the class of %d is %d, want %d", k, k.Class(), class)
			}
		}
	}
	if k := ^Kind(0); k.Class() != k-k>>1 {
		t.Errorf("the class of %x is %x", k, k.Class())
	}
}
