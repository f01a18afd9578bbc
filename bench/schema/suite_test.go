package schema

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// Every side of every case returns the correct value. Nothing is timed.
func TestOutputs(t *testing.T) {
	if err := harness.Check(Suite()); err != nil {
		t.Error(err)
	}
}

// TestSizes checks all sizes that have a bar, including the sizes in Parco's table. It also checks
// the published sizes of v5.
func TestSizes(t *testing.T) {
	v5Sizes := map[string]float64{"small": 155, "medium": 991, "large": 10171}
	for _, c := range Suite().Cases {
		if c.Observe == nil {
			continue
		}
		figures, err := c.Observe(t.Context(), harness.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range figures {
			if f.Bar != nil && f.Value != f.Bar.Value {
				t.Errorf("%s, %s: %v bytes, want %v", c.Name, f.Name, f.Value, f.Bar.Value)
			}
			if want := v5Sizes[c.Name]; f.Rival == v5Name && want != 0 && f.Value != want {
				t.Errorf("%s, %s: %v bytes, want %v", c.Name, f.Name, f.Value, want)
			}
		}
	}
}

// The input is the same in every run, so that runs can be compared.
func TestDataAreFixed(t *testing.T) {
	for range 5 { // unless maps are sorted, their order is random
		first, again := largeRecord(), largeRecord()
		for _, l := range recordShape("", largeRecord, true, 0, 0).libraries() {
			a, err := l.input(&first)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := l.input(&again); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s: the input differs between two runs, error %v", l.name, err)
			}
		}
	}
	if !slices.Equal(smallStructs(), smallStructs()) {
		t.Error("the small structs differ between two runs")
	}
}

// Hand-written code produces the encodings with which Slipstream's encodings are compared. This
// test compares its output with bytes that were written by hand.
func TestFloor(t *testing.T) {
	head, tail := "0200 4869 0000 1092 02 0100 0203", "01 0161 07 01 0000c03f 000000000000f83f"
	v := record{Name: "Hi", Num: 0x9210, Arr: []uint16{1, 0x302}, Map: map[string]uint8{"a": 7}, Bool: true, Float32: 1.5, Float64: 1.5}
	writes(t, recordFloor(false), v, head+tail)
	writes(t, recordFloor(true), v, strings.Replace(head, " 02 ", " 0200 ", 1)+strings.Replace(tail, "01 ", "0100 ", 1))
	writes(t, batchFloor(), batch{[]reading{{0x01020304, "m", 5, 1.5, 0x607, true}}}, "0100 04030201 016d 0500000000000000 000000000000f83f 0706 01")
	writes(t, optionsFloor(), options{Int1: new(int64(73)), Count2: new(uint16(1)), Ratio3: new(1.5), Flag4: new(false), Text1: new("x")},
		"01 4900000000000000 000000 00 01 0100 0000 0000 01 000000000000f83f 00 000000 0100 01 0100 78 000000")
	writes(t, tinyFloor(), tiny{1, 2}, "01000000 02")
	var n nest
	n.ID, n.In.Name = 1, "x"
	writes(t, nestFloor(), n, "01000000 00 00000000 01 78"+strings.Repeat("00000000 00", 5)+"0000000000000000")
	writes(t, smallFloor(), smallStruct{"hey", time.Unix(1, 2), "4", -2, true, 1.5}, "03 686579 02ca9a3b00000000 01 34 feffffff 01 000000000000f83f")
	writes(t, colferCodec(), smallStruct{"hey", time.Unix(1, 2), "4", -2, true, 1.5},
		"0003 686579 01 00000001 00000002 0201 34 8302 04 05 3ff8000000000000 7f")
	writes(t, colferCodec(), smallStruct{BirthDay: time.Unix(1, 0), Siblings: 2}, "01 00000001 00000000 0302 7f")
}

// writes checks that v is encoded as these bytes, and decoded from them. Shorter and longer input
// must cause an error.
func writes[T any](t *testing.T, c codec[T], v T, digits string) {
	t.Helper()
	want, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := c.append([]byte("abc"), &v); err != nil || string(b) != "abc"+string(want) {
		t.Errorf("%+v: written as %x, error %v; want %x", v, b, err, want)
	}
	var got T
	if err := c.parse(want, &got); err != nil {
		t.Errorf("%x: %v", want, err)
	}
	if err := same(&got, &v); err != nil {
		t.Errorf("%x: %v", want, err)
	}
	for n := range want {
		if err := c.parse(want[:n], new(T)); err == nil {
			t.Errorf("%x: passes", want[:n])
		}
	}
	if err := c.parse(append(want, 0), new(T)); err == nil {
		t.Errorf("%x00: passes", want)
	}
}

// A flag must be 00 or 01.
func TestFlags(t *testing.T) {
	b, err := appendSmall(nil, &smallStruct{BirthDay: time.Unix(0, 0), Spouse: true})
	if err != nil {
		t.Fatal(err)
	}
	b[bytes.IndexByte(b, 1)] = 2
	if parseSmall(b, new(smallStruct)) == nil {
		t.Error("a flag of 2 passes")
	}
	if optionsFloor().parse(append([]byte{2}, make([]byte, 27)...), new(options)) == nil {
		t.Error("an option of 2 passes")
	}
}

// The checks fail if they get the result of another value.
func TestChecksCanFail(t *testing.T) {
	v := largeRecord()
	for _, l := range recordShape("", largeRecord, true, 0, 0).libraries() {
		decoding, err := l.decoding(&v, fresh)
		if err != nil {
			t.Fatal(err)
		}
		encoding := l.encoding(&v, func(*record) ([]byte, error) {
			other := largeRecord()
			other.Map["999"]++
			return l.marshal(&other)
		})
		v.Arr[999]++
		if decoding.Check() == nil || encoding.Check() == nil {
			t.Errorf("%s passes with what another value comes to", decoding.Label())
		}
		v.Arr[999]--
	}
	for name, change := range map[string]func(*smallStruct){
		"another name":      func(v *smallStruct) { v.Name = v.Name[1:] + "g" },
		"a nanosecond late": func(v *smallStruct) { v.BirthDay = v.BirthDay.Add(1) },
		"a sibling more":    func(v *smallStruct) { v.Siblings++ },
		"another money":     func(v *smallStruct) { v.Money /= 2 },
	} {
		for _, l := range smallLibraries() {
			list := smallStructs()
			messages, err := l.messages(list)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []calls{
				{unmarshal: l.unmarshal}, {unmarshal: l.view},
				{marshal: func(v *smallStruct) ([]byte, error) { return messages[999], nil }},
			} {
				if c.marshal == nil && c.unmarshal == nil || l.name == nothingName {
					continue
				}
				trial := trial{calls: c, library: l, list: slices.Clone(list), messages: messages}
				if c.marshal != nil {
					trial.list = trial.list[999:]
				}
				change(&trial.list[len(trial.list)-1])
				if trial.check() == nil {
					t.Errorf("%s %s passes: %s", l.name, l.how, name)
				}
			}
		}
	}
}

// The generated code is up to date. The test runs the generators in a copy of the directory, in the
// same way as go generate.
func TestGeneratedCodeIsFresh(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the generators")
	}
	for _, dir := range []struct {
		name, from         string
		sources, generated []string
	}{
		{"schema", ".", []string{"types.go"}, []string{"types_gen.go"}},
		{"pb", "pb", []string{"doc.go", "small.proto", "buf.gen.yaml"}, []string{"small.pb.go", "small_vtproto.pb.go"}},
		{"flat", "flat", []string{"doc.go", "small.fbs"}, []string{"SmallStruct.go"}},
	} {
		t.Run(dir.name, func(t *testing.T) {
			work := filepath.Join(t.TempDir(), dir.name)
			if err := os.Mkdir(work, 0o777); err != nil {
				t.Fatal(err)
			}
			for _, name := range dir.sources {
				text, err := os.ReadFile(filepath.Join(dir.from, name))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(work, name), text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			generate := exec.Command("go", "generate", dir.sources[0])
			generate.Dir = work
			if text, err := generate.CombinedOutput(); err != nil {
				t.Skipf("the generator does not run here: %v\n%s", err, text)
			}
			for _, name := range dir.generated {
				have, err := os.ReadFile(filepath.Join(dir.from, name))
				if err != nil {
					t.Fatal(err)
				}
				want, err := os.ReadFile(filepath.Join(work, name))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(have, want) {
					t.Errorf("%s is stale: run go generate ./schema/...", name)
				}
			}
		})
	}
}
