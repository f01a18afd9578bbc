package child

import (
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	var end tail
	for range 100 {
		if n, err := end.Write([]byte(strings.Repeat("x", 99) + "\n")); n != 100 || err != nil {
			t.Fatalf("%d bytes, error %v", n, err)
		}
	}
	if _, err := end.Write([]byte("the last line\n")); err != nil {
		t.Fatal(err)
	}
	if s := end.String(); len(s) > tailBytes || !strings.HasSuffix(s, "x\nthe last line") {
		t.Errorf("kept %d bytes that end with %q", len(s), s[max(0, len(s)-20):])
	}
}
