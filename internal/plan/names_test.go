package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Find agrees with a map on random sets of every size. The test looks up names that are in the set,
// and names that are similar.
func TestNamesAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, r.IntN(30))
		for i := range b {
			b[i] = "abAB_\x00\xff"[r.IntN(7)]
		}
		return string(b)
	}
	for size := range 130 {
		names := make([]string, size)
		want := map[string]int{}
		for i := range names {
			names[i] = word()
			if i > 0 && r.IntN(10) == 0 {
				names[i] = names[r.IntN(i)] // Find must return the last of two equal names
			}
			want[names[i]] = i
		}
		checkNames(t, names, want)
		n := NewNames(names)
		for range 300 {
			s := word()
			if i, ok := want[s]; ok != (n.Find([]byte(s)) >= 0) || ok && n.Find([]byte(s)) != i {
				t.Fatalf("%d names: %q is %d, want %d", size, s, n.Find([]byte(s)), i)
			}
		}
	}
}

func checkNames(t *testing.T, names []string, want map[string]int) {
	t.Helper()
	n := NewNames(names)
	for s, i := range want {
		if got := n.Find([]byte(s)); got != i {
			t.Fatalf("%d names: %q is %d, want %d", len(names), s, got, i)
		}
		for _, near := range []string{s + "x", s + "\x00", "x" + s, strings.ToUpper(s) + "!"} {
			if _, ok := want[near]; !ok && n.Find([]byte(near)) != -1 {
				t.Fatalf("%d names: %q is found as %d", len(names), near, n.Find([]byte(near)))
			}
		}
	}
}

// Find distinguishes names that have the same hash.
func TestNamesAlike(t *testing.T) {
	for _, count := range []int{1, 2, 3, 60, 200} {
		var names []string
		want := map[string]int{}
		for i := range count {
			want[fmt.Sprintf("beginning%04dthe ending", i)] = len(names)
			names = append(names, fmt.Sprintf("beginning%04dthe ending", i))
		}
		for i := range count {
			want[fmt.Sprint("short", i)] = len(names)
			names = append(names, fmt.Sprint("short", i))
		}
		checkNames(t, names, want)
	}
}

// Find works for all lengths around which the hash reads the name differently.
func TestNamesSizes(t *testing.T) {
	var names []string
	want := map[string]int{}
	for n := range 40 {
		want[strings.Repeat("n", n)] = n
		names = append(names, strings.Repeat("n", n))
	}
	checkNames(t, names, want)
	if NewNames(nil).Find(nil) != -1 || NewNames(nil).Find([]byte("a")) != -1 {
		t.Error("found in nothing")
	}
	n := NewNames(names)
	if got := testing.AllocsPerRun(100, func() { n.Find([]byte("nnnnnnnnnnnn")) }); got != 0 {
		t.Errorf("Find allocates %v times", got)
	}
}
