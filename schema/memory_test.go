package schema

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

// record contains no map whose keys have to be ranged over.
type record struct {
	Name   string
	Born   time.Time
	Tags   []string
	Counts map[string]uint32
	Codes  []uint16
	Pet    *animal
	Flags  []bool
	Data   []byte
	Pets   []animal
	Age    int
	Done   bool
	Alive  bool
}

var recordSchema = Struct(
	F("name", func(r *record) *string { return &r.Name }, Str8),
	F("born", func(r *record) *time.Time { return &r.Born }, Time),
	F("tags", func(r *record) *[]string { return &r.Tags }, List(H8, Str8)),
	F("counts", func(r *record) *map[string]uint32 { return &r.Counts }, Map(H8, Str8, U32)),
	F("codes", func(r *record) *[]uint16 { return &r.Codes }, List(H16, U16)),
	F("pet", func(r *record) **animal { return &r.Pet }, Opt(animalSchema.Type())),
	F("flags", func(r *record) *[]bool { return &r.Flags }, List(H8, Bool)),
	F("data", func(r *record) *[]byte { return &r.Data }, Blob(H32)),
	F("pets", func(r *record) *[]animal { return &r.Pets }, List(H8, animalSchema.Type())),
	F("age", func(r *record) *int { return &r.Age }, As[int](I32)),
	F("done", func(r *record) *bool { return &r.Done }, Bool),
	Get("alive", Bool, func(r *record) bool { return r.Alive }, func(r *record, v bool) { r.Alive = v }))

func recordValue() *record {
	return &record{"a name", time.Unix(1700000000, 7).UTC(), []string{"one", "two", ""}, map[string]uint32{"x": 1, "y": 2}, []uint16{1, 2, 3},
		&animal{"cat", 3}, []bool{true, false}, []byte("data"), []animal{{"dog", 1}, {"cow", 2}}, -5, true, true}
}

// Writing allocates nothing. Reading the same message again, or other strings that alias the input,
// allocates nothing either.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	v := recordValue()
	dst := make([]byte, 0, 1<<10)
	b, err := recordSchema.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	var got, other record
	v.Name, v.Tags[0] = "another", "eno"
	b2, err := recordSchema.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	alias := recordSchema.With(Alias)
	for name, c := range map[string]struct {
		most float64
		run  func() error
	}{
		"Append": {0, func() error { _, err := recordSchema.Append(dst, v); return err }},
		"Parse":  {2, func() error { _, err := recordSchema.Parse(b, &got); return err }}, // for the keys of the map
		"Alias": {0, func() error {
			if _, err := alias.Parse(b, &other); err != nil {
				return err
			}
			_, err := alias.Parse(b2, &other)
			return err
		}},
	} {
		if err := c.run(); err != nil {
			t.Fatal(name, err)
		}
		if n := testing.AllocsPerRun(100, func() { err = c.run() }); n > c.most || err != nil {
			t.Errorf("%s: %v allocations, %v", name, n, err)
		}
	}
}

// Short strings share allocations, and each long string has its own. With OwnStrings, each string
// has its own allocation.
func TestChunks(t *testing.T) {
	type list struct {
		First, Second string
		L             []string
	}
	shared := Struct(
		F("first", func(l *list) *string { return &l.First }, Str8),
		F("second", func(l *list) *string { return &l.Second }, Str8),
		F("l", func(l *list) *[]string { return &l.L }, List(H16, Str16)))
	for _, c := range []struct {
		s         *Schema[list]
		n, length int
		most      float64
	}{{shared, 0, 0, 1}, {shared, 3, 5, 2}, {shared, 1000, 5, 1 + 5*1002/chunkSize + 1}, {shared, 20, 1000, 1 + 20}, {shared.With(OwnStrings), 20, 5, 2 + 20}} {
		v := list{"a", "bb", make([]string, c.n)}
		for i := range v.L {
			v.L[i] = strings.Repeat(string(rune('a'+i%26)), c.length)
		}
		b, err := c.s.Append(nil, &v)
		if err != nil {
			t.Fatal(err)
		}
		var got list
		n := testing.AllocsPerRun(10, func() {
			got.First, got.Second = "", ""
			clear(got.L)
			_, err = c.s.Parse(b, &got)
		})
		if err != nil || n > c.most && !raceEnabled {
			t.Errorf("%d of %d: %v allocations, %v", c.n, c.length, n, err)
		}
		clear(b) // the strings must not refer to b
		if got.First != v.First || got.Second != v.Second || !slices.Equal(got.L, v.L) {
			t.Fatalf("%d of %d: %q", c.n, c.length, got)
		}
	}
}

// Strings and blobs refer to the input only with Alias.
func TestAliases(t *testing.T) {
	b, err := recordSchema.Append(nil, recordValue())
	if err != nil {
		t.Fatal(err)
	}
	inside := func(p unsafe.Pointer) bool {
		return uintptr(p)-uintptr(unsafe.Pointer(&b[0])) < uintptr(len(b))
	}
	for _, c := range []struct {
		s       *Schema[record]
		aliases bool
	}{{recordSchema, false}, {recordSchema.With(OwnStrings), false}, {recordSchema.With(Alias), true}} {
		var v record
		if _, err := c.s.Parse(b, &v); err != nil {
			t.Fatal(err)
		}
		for what, p := range map[string]unsafe.Pointer{
			"name": unsafe.Pointer(unsafe.StringData(v.Name)), "data": unsafe.Pointer(&v.Data[0]), "tag": unsafe.Pointer(unsafe.StringData(v.Tags[1])),
		} {
			if inside(p) != c.aliases {
				t.Errorf("%s in the input: %v, want %v", what, inside(p), c.aliases)
			}
		}
		if cap(v.Data) != len(v.Data) && c.aliases {
			t.Error("appending to an aliased blob would overwrite the input")
		}
	}
}

// Parse reuses arrays, maps and the targets of options.
func TestReuse(t *testing.T) {
	b, err := recordSchema.Append(nil, recordValue())
	if err != nil {
		t.Fatal(err)
	}
	v := record{Pet: new(animal), Codes: make([]uint16, 0, 10), Counts: map[string]uint32{"old": 1}, Pets: make([]animal, 5, 7)}
	pet, codes, counts, pets := v.Pet, &v.Codes[:1][0], v.Counts, &v.Pets[0]
	if _, err := recordSchema.Parse(b, &v); err != nil {
		t.Fatal(err)
	}
	counts["new"] = 1
	if v.Pet != pet || &v.Codes[0] != codes || len(v.Counts) != 3 || &v.Pets[0] != pets || len(v.Pets) != 2 || cap(v.Pets) != 7 {
		t.Errorf("%+v", v)
	}
}

// One schema can be used by many goroutines.
func TestConcurrent(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			v := recordValue()
			for range 200 {
				b, err := recordSchema.With(SortMaps).Append(nil, v)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := recordSchema.Parse(b, v); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
