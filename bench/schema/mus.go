package schema

import (
	"github.com/mus-format/mus-go/ord"
	"github.com/mus-format/mus-go/raw"
	quick "github.com/mus-format/mus-go/unsafe"
	"github.com/mus-format/mus-go/varint"
)

// mus does not support structs. Its serializers are called field by field, as in its documentation.

// musSafe uses the serializers that the documentation recommends: varints for integers, and copied
// strings.
func musSafe() library[smallStruct] {
	var out []byte
	return library[smallStruct]{
		name: musName,
		marshal: func(v *smallStruct) ([]byte, error) {
			b := make([]byte, musSize(v))
			musMarshal(v, b)
			return b, nil
		},
		reuse: func(v *smallStruct) ([]byte, error) {
			out = resized(out, musSize(v))
			musMarshal(v, out)
			return out, nil
		},
		unmarshal: musUnmarshal,
		format:    format[smallStruct]{read: musUnmarshal},
	}
}

// musUnsafe uses the serializers of the package unsafe of mus. But where texts must be copied, it
// copies them.
func musUnsafe() library[smallStruct] {
	var out []byte
	return library[smallStruct]{
		name: musName, how: "unsafe",
		marshal: func(v *smallStruct) ([]byte, error) {
			b := make([]byte, musQuickSize(v))
			musQuickMarshal(v, b)
			return b, nil
		},
		reuse: func(v *smallStruct) ([]byte, error) {
			out = resized(out, musQuickSize(v))
			musQuickMarshal(v, out)
			return out, nil
		},
		unmarshal: musQuickUnmarshal, view: musQuickView,
		format: format[smallStruct]{read: musQuickUnmarshal},
	}
}

func musSize(v *smallStruct) int {
	return ord.String.Size(v.Name) + raw.TimeUnixNano.Size(v.BirthDay) + ord.String.Size(v.Phone) +
		varint.PositiveInt.Size(v.Siblings) + ord.Bool.Size(v.Spouse) + raw.Float64.Size(v.Money)
}

func musMarshal(v *smallStruct, b []byte) {
	n := ord.String.Marshal(v.Name, b)
	n += raw.TimeUnixNano.Marshal(v.BirthDay, b[n:])
	n += ord.String.Marshal(v.Phone, b[n:])
	n += varint.PositiveInt.Marshal(v.Siblings, b[n:])
	n += ord.Bool.Marshal(v.Spouse, b[n:])
	raw.Float64.Marshal(v.Money, b[n:])
}

func musUnmarshal(b []byte, v *smallStruct) (err error) {
	var n, m int
	if v.Name, n, err = ord.String.Unmarshal(b); err != nil {
		return err
	}
	if v.BirthDay, m, err = raw.TimeUnixNano.Unmarshal(b[n:]); err != nil {
		return err
	}
	n += m
	if v.Phone, m, err = ord.String.Unmarshal(b[n:]); err != nil {
		return err
	}
	n += m
	if v.Siblings, m, err = varint.PositiveInt.Unmarshal(b[n:]); err != nil {
		return err
	}
	n += m
	if v.Spouse, m, err = ord.Bool.Unmarshal(b[n:]); err != nil {
		return err
	}
	n += m
	v.Money, _, err = raw.Float64.Unmarshal(b[n:])
	return err
}

func musQuickSize(v *smallStruct) int {
	return quick.String.Size(v.Name) + quick.TimeUnixNano.Size(v.BirthDay) + quick.String.Size(v.Phone) +
		quick.Int32.Size(int32(v.Siblings)) + quick.Bool.Size(v.Spouse) + quick.Float64.Size(v.Money)
}

func musQuickMarshal(v *smallStruct, b []byte) {
	n := quick.String.Marshal(v.Name, b)
	n += quick.TimeUnixNano.Marshal(v.BirthDay, b[n:])
	n += quick.String.Marshal(v.Phone, b[n:])
	n += quick.Int32.Marshal(int32(v.Siblings), b[n:])
	n += quick.Bool.Marshal(v.Spouse, b[n:])
	quick.Float64.Marshal(v.Money, b[n:])
}

// musQuickUnmarshal copies the texts.
func musQuickUnmarshal(b []byte, v *smallStruct) (err error) {
	var n, m int
	if v.Name, n, err = ord.String.Unmarshal(b); err != nil {
		return err
	}
	if v.BirthDay, m, err = quick.TimeUnixNano.Unmarshal(b[n:]); err != nil {
		return err
	}
	n += m
	if v.Phone, m, err = ord.String.Unmarshal(b[n:]); err != nil {
		return err
	}
	return musQuickNumbers(b[n+m:], v)
}

func musQuickView(b []byte, v *smallStruct) (err error) {
	var n, m int
	if v.Name, n, err = quick.String.Unmarshal(b); err != nil {
		return err
	}
	if v.BirthDay, m, err = quick.TimeUnixNano.Unmarshal(b[n:]); err != nil {
		return err
	}
	n += m
	if v.Phone, m, err = quick.String.Unmarshal(b[n:]); err != nil {
		return err
	}
	return musQuickNumbers(b[n+m:], v)
}

func musQuickNumbers(b []byte, v *smallStruct) error {
	siblings, n, err := quick.Int32.Unmarshal(b)
	if err != nil {
		return err
	}
	v.Siblings = int(siblings)
	var m int
	if v.Spouse, m, err = quick.Bool.Unmarshal(b[n:]); err != nil {
		return err
	}
	v.Money, _, err = quick.Float64.Unmarshal(b[n+m:])
	return err
}
