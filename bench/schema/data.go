package schema

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// source returns a generator with a fixed seed, so that the data are the same in every run.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15)) }

const start = 1_767_225_600_000_000_000 // 2026-01-01 in nanoseconds

func smallRecord() record {
	return recordOf("small size", "oh hi Mark", 42, 10)
}

func mediumRecord() record {
	return recordOf("medium size", strings.Repeat("oh hi Mark! ", 10), 42134, 100)
}

func largeRecord() record {
	return recordOf("large size", strings.Repeat("oh hi Mark! ", 100), math.MaxUint16, 1000)
}

// recordOf returns a record with n numbers in its list and n entries in its map.
func recordOf(name, text string, num uint16, n int) record {
	r := source(1)
	v := record{
		Name: name, Str: text, Num: num, Arr: make([]uint16, n), Map: make(map[string]uint8, n),
		Bool: true, Float32: math.MaxFloat32, Float64: math.MaxFloat64,
	}
	for i := range n {
		v.Arr[i] = uint16(r.IntN(65535))
		v.Map[strconv.Itoa(i)] = uint8(r.IntN(255))
	}
	return v
}

func batchValue() batch {
	r := source(2)
	units := []string{"°C", "hPa", "m/s", "percent", "lux"}
	list := make([]reading, 1000)
	for i := range list {
		list[i] = reading{
			Sensor: uint32(r.IntN(5000)), Unit: units[r.IntN(len(units))], Time: start + int64(i)*1e6,
			Value: math.Round(r.Float64()*1e4) / 100, Level: uint16(r.IntN(1024)), Valid: r.IntN(10) > 0,
		}
	}
	return batch{list}
}

// optionsValue returns options in which every second field is set.
func optionsValue() options {
	return options{
		Int1: new(int64(-42)), Int3: new(int64(math.MaxInt64)),
		Count1: new(uint16(7)), Count3: new(uint16(math.MaxUint16)),
		Ratio1: new(0.625), Ratio3: new(-1e300),
		Flag1: new(true), Flag3: new(false),
		Text1: new("present"), Text3: new("what is there is written, and what is not takes a byte"),
	}
}

func tinyValue() tiny { return tiny{ID: 3_000_000_001, Kind: 7} }

func nestValue() nest {
	var v nest
	name(&v, 1)
	name(&v.In, 2)
	name(&v.In.In, 3)
	name(&v.In.In.In, 4)
	name(&v.In.In.In.In, 5)
	name(&v.In.In.In.In.In, 6)
	name(&v.In.In.In.In.In.In, 7)
	v.In.In.In.In.In.In.In.Value = 98.25
	return v
}

func name[T any](v *level[T], depth uint32) { v.ID, v.Name = depth, fmt.Sprintf("level %d", depth) }

// smallStructs returns a thousand random structs, as in go_serialization_benchmarks. But the
// birthdays are within one second, and the structs are the same in every run.
func smallStructs() []smallStruct {
	r := source(3)
	list := make([]smallStruct, 1000)
	for i := range list {
		list[i] = smallStruct{
			Name: fmt.Sprintf("%016x", r.Uint64()), BirthDay: time.Unix(0, start+r.Int64N(1e9)), Phone: fmt.Sprintf("%010x", r.Uint64N(1<<40)),
			Siblings: r.IntN(5), Spouse: r.IntN(2) == 1, Money: r.Float64(),
		}
	}
	return list
}
