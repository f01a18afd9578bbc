package msgpack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// source returns a generator with a fixed seed, so that the data are the same in every run.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

const start = 1_767_225_600_000_000 // 2026-01-01 in microseconds

var (
	regions = []string{"eu-central-1", "eu-west-1", "us-east-1", "us-west-2", "ap-south-1"}
	tags    = []string{"production", "edge", "database", "cache", "batch", "frontend"}
)

// cents returns a float below 100 with two decimals.
func cents(r *rand.Rand) float64 { return math.Round(r.Float64()*10000) / 100 }

// hostName returns a name of nine characters.
func hostName(i int) string { return fmt.Sprintf("host-%04d", i) }

func smallValue() small {
	return small{
		ID: 1_234_567_890_123, Name: "Ada Lovelace", Email: "ada@example.com", Age: 36, Score: 98.25, Active: true,
		Tags:  []string{"analyst", "writer", "engine"},
		Attrs: map[string]string{"city": "London", "language": "en"},
	}
}

func rowsValue() rows {
	r := source(1)
	list := make(rows, 500)
	for i := range list {
		list[i] = row{
			Time: start + int64(i)*1000, Seq: r.Int64N(1 << 40), Host: hostName(r.IntN(1000)) + ".internal",
			Region: regions[r.IntN(len(regions))], Status: int64(200 + r.IntN(300)),
			Values: map[string]float64{"idle": cents(r), "user": cents(r), "system": cents(r)},
			Tags:   map[string]string{"role": tags[r.IntN(len(tags))], "datacenter": fmt.Sprintf("fra-2-hall-%02d", r.IntN(40))},
		}
	}
	return list
}

func tableValue() table {
	r := source(2)
	var t table
	for i := range 500 {
		t.Time = append(t.Time, start+int64(i)*1000)
		t.N = append(t.N, r.Int64N(1<<40))
		t.Host = append(t.Host, hostName(r.IntN(1000)))
		t.Region = append(t.Region, regions[r.IntN(len(regions))])
		t.Idle = append(t.Idle, cents(r))
		t.User = append(t.User, cents(r))
		t.System = append(t.System, cents(r))
	}
	return t
}

func numbersValue() numbers {
	r := source(3)
	n := numbers{ID: 42, Count: 1 << 50, Ratio: 0.625, Valid: true}
	for i := range 100 {
		n.Times = append(n.Times, start+int64(i))
		n.Values = append(n.Values, cents(r))
	}
	return n
}

func intsValue() ints {
	r := source(4)
	list := make(ints, 10_000)
	for i := range list {
		list[i] = r.Int64()
	}
	return list
}

func floatsValue() floats {
	r := source(5)
	list := make(floats, 10_000)
	for i := range list {
		list[i] = r.NormFloat64()
	}
	return list
}

// textsValue returns strings of 4 to 24 characters, nearly all of them different.
func textsValue() texts {
	r := source(6)
	list := make(texts, 10_000)
	for i := range list {
		var b strings.Builder
		for range 4 + r.IntN(21) {
			b.WriteByte(byte('a' + r.IntN(26)))
		}
		list[i] = b.String()
	}
	return list
}

func pointsValue() points {
	r := source(7)
	list := make(points, 500)
	for i := range list {
		list[i] = point{cents(r), cents(r)}
	}
	return list
}

// encoded returns the encoding of v by v5 with sorted map keys, so that the bytes are the same in
// every run.
func encoded(v any) ([]byte, error) {
	if list, ok := v.(rows); ok {
		v = sortable(list)
	}
	var b bytes.Buffer
	enc := v5.NewEncoder(&b)
	enc.SetSortMapKeys(true)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// sortableRow is a row whose values are in a map of a type that v5 can sort.
type sortableRow struct {
	Time   int64             `msgpack:"time"`
	Seq    int64             `msgpack:"seq"`
	Host   string            `msgpack:"host"`
	Region string            `msgpack:"region"`
	Status int64             `msgpack:"status"`
	Values map[string]any    `msgpack:"values"`
	Tags   map[string]string `msgpack:"tags"`
}

func sortable(list rows) []sortableRow {
	sortables := make([]sortableRow, len(list))
	for i, r := range list {
		values := make(map[string]any, len(r.Values))
		for key, value := range r.Values {
			values[key] = value
		}
		sortables[i] = sortableRow{r.Time, r.Seq, r.Host, r.Region, r.Status, values, r.Tags}
	}
	return sortables
}

// tree returns v as untyped values, in the types that v5 decodes.
func tree(v any) (data []byte, t any, err error) {
	if data, err = encoded(v); err != nil {
		return nil, nil, err
	}
	err = v5.Unmarshal(data, &t)
	return data, t, err
}

// corpus reads a JSON document from the tests of encoding/json, as untyped values.
func corpus(name string) (any, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("asking the go command for GOROOT, where the JSON corpora are: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), "src/encoding/json/internal/jsontest/testdata", name+".json.zst")
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the JSON corpora come with the sources of Go 1.25 and later: %w", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}
