package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// spot is a type without methods, which the tests register in several ways.
type spot struct{ X, Y int8 }

// registering calls do, which registers a codec for the type of value. At the end of the test, it
// removes all codecs of the type.
func registering(t *testing.T, value any, do func()) {
	t.Helper()
	do()
	t.Cleanup(func() {
		register(func(r *registry) {
			for _, typ := range []reflect.Type{reflect.TypeOf(value), reflect.PointerTo(reflect.TypeOf(value))} {
				delete(r.encoders, typ)
				delete(r.decoders, typ)
			}
			for i, x := range r.exts {
				if x != nil && x.typ == reflect.TypeOf(value) {
					r.exts[i] = nil
				}
			}
		})
	})
}

func encodeSpot(e *Encoder, v reflect.Value) error {
	p := v.Interface().(spot)
	return e.EncodeString(fmt.Sprintf("%d,%d", p.X, p.Y))
}

func decodeSpot(d *Decoder, v reflect.Value) error {
	s, err := d.DecodeString()
	if err != nil || s == "" {
		return err
	}
	_, err = fmt.Sscanf(s, "%d,%d", &v.Addr().Interface().(*spot).X, &v.Addr().Interface().(*spot).Y)
	return err
}

// A registered codec is called for values of its type in every position.
func TestRegister(t *testing.T) {
	registering(t, spot{}, func() { Register(spot{}, encodeSpot, decodeSpot) })
	type fields struct {
		P spot
		Q *spot
		R []spot
		M map[spot]spot
		A any
	}
	p := spot{1, 2}
	for _, c := range []struct {
		v    any
		want string
	}{
		{p, "a3312c32"},
		{&p, "a3312c32"},
		{(*spot)(nil), "c0"},
		{[]spot{p}, "91a3312c32"},
		{[1]spot{p}, "91a3312c32"},
		{[]any{p, &p}, "92a3312c32a3312c32"},
		{map[spot]spot{p: p}, "81a3312c32a3312c32"},
		{struct{ P spot }{p}, "81a150a3312c32"},
		{struct{ spot }{p}, "81a473706f74a3312c32"}, // not inlined
		{&fields{p, &p, []spot{p}, map[spot]spot{p: p}, p}, "85 a150 a3312c32 a151 a3312c32 a152 91a3312c32 a14d 81a3312c32a3312c32 a141 a3312c32"},
		{reflect.ValueOf(p), "a3312c32"},
	} {
		wantHex(t, c.v, c.want)
	}
	var got fields
	if err := into(t, "84 a150 a3312c32 a151 a3312c32 a152 91a3312c32 a14d 81a3312c32a3312c32", &got); err != nil {
		t.Fatal(err)
	}
	if want := (fields{p, &p, []spot{p}, map[spot]spot{p: p}, nil}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	kept := spot{3, 4}
	if err := into(t, "c0", &kept); err != nil || kept != (spot{3, 4}) {
		t.Errorf("nil is left to the function: %v, %v", kept, err)
	}
}

// key is an example of a type that is used only by pointer, like the keys of a datastore. The
// pointer type is registered.
type key struct{ path string }

func TestRegisterPointer(t *testing.T) {
	nils := 0
	registering(t, key{}, func() {
		Register((*key)(nil), func(e *Encoder, v reflect.Value) error {
			k := v.Interface().(*key)
			if k == nil {
				nils++
				return e.EncodeNil()
			}
			return e.EncodeString(k.path)
		}, func(d *Decoder, v reflect.Value) error {
			s, err := d.DecodeString()
			if err == nil && s != "" {
				v.Set(reflect.ValueOf(&key{s}))
			}
			return err
		})
	})
	k := &key{"a/b"}
	holder := struct{ K, None *key }{K: k}
	for _, c := range []struct {
		v    any
		want string
	}{
		{k, "a3612f62"},
		{&k, "a3612f62"},
		{[]any{k, (*key)(nil), k}, "93a3612f62c0a3612f62"},
		{holder, "82a14ba3612f62a44e6f6e65c0"},
		{&holder, "82a14ba3612f62a44e6f6e65c0"},
		{*k, "80"},
	} {
		wantHex(t, c.v, c.want)
	}
	if nils != 3 {
		t.Errorf("called for %d nil pointers, want 3", nils)
	}
	var e bytes.Buffer
	if err := NewEncoder(&e).EncodeValue(reflect.ValueOf(k)); err != nil || e.String() != "\xa3a/b" {
		t.Errorf("EncodeValue: %x, %v", e.Bytes(), err)
	}
	var back struct{ K, None *key }
	if err := Unmarshal(marshal(t, holder), &back); err != nil || back.K == nil || *back.K != *k || back.None != nil {
		t.Errorf("%+v, %v", back, err)
	}
}

// A registration also applies to types whose plan is already compiled, and to types that contain
// them.
func TestRegisterLate(t *testing.T) {
	type outer struct{ P []spot }
	v := outer{[]spot{{1, 2}}}
	const plain, own = "81a1509182a158d001a159d002", "81a15091a3312c32"
	wantHex(t, v, plain)
	tagged := NewEncoder(io.Discard)
	tagged.SetCustomStructTag("registerlate")
	if err := tagged.Encode(v); err != nil {
		t.Fatal(err)
	}
	registering(t, spot{}, func() { Register(spot{}, encodeSpot, nil) })
	wantHex(t, v, own)
	var out bytes.Buffer
	tagged.ResetWriter(&out)
	if err := tagged.Encode(v); err != nil || !bytes.Equal(out.Bytes(), unhex(t, own)) {
		t.Errorf("under a tag: %x, %v", out.Bytes(), err)
	}
	var back outer
	if err := Unmarshal(unhex(t, plain), &back); err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("the direction that was not registered: %v, %v", back, err)
	}
	Register(spot{}, nil, decodeSpot)
	if err := Unmarshal(unhex(t, own), &back); err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%v, %v", back, err)
	}
}

// Errors of a registered function reach the caller with path and offset.
func TestRegisterErrors(t *testing.T) {
	fault := errors.New("not today")
	registering(t, spot{}, func() {
		Register(spot{}, func(*Encoder, reflect.Value) error { return fault }, func(*Decoder, reflect.Value) error { return fault })
	})
	if _, err := Marshal([]spot{{}}); !errors.Is(err, fault) {
		t.Error(err)
	}
	var e *Error
	var v struct{ P []spot }
	if err := Unmarshal(unhex(t, "81a15091c0"), &v); !errors.Is(err, fault) || !errors.As(err, &e) || e.Path != "P[0]" || e.Offset != 4 {
		t.Errorf("%+v", err)
	}
	defer func() {
		if p := recover(); p == nil {
			t.Error("nil has been registered")
		}
	}()
	Register(nil, encodeSpot, decodeSpot)
}

// If a registered function changes its argument, a value in an interface does not change.
func TestRegisteredChange(t *testing.T) {
	registering(t, spot{}, func() {
		Register(spot{}, func(e *Encoder, v reflect.Value) error {
			if v.CanSet() {
				v.Field(0).SetInt(9)
			}
			return e.EncodeNil()
		}, nil)
	})
	p, inside := any(spot{1, 2}), any(struct{ P spot }{spot{1, 2}})
	marshal(t, []any{p, inside})
	if p != any(spot{1, 2}) || inside != any(struct{ P spot }{spot{1, 2}}) {
		t.Errorf("%v, %v", p, inside)
	}
}

// A codec for time.Time replaces the codec of this package, until it is removed.
func TestRegisterTime(t *testing.T) {
	at := time.Unix(1, 0)
	registering(t, at, func() {
		Register(at, func(e *Encoder, v reflect.Value) error { return e.EncodeInt(v.Interface().(time.Time).Unix()) }, nil)
	})
	wantHex(t, []any{at, &at, struct{ T time.Time }{at}}, "93010181a15401")
	register(func(r *registry) { delete(r.encoders, timeType) })
	wantHex(t, []any{at, struct{ T time.Time }{at}}, "92d6ff0000000181a154d6ff00000001")
}

// Types may be registered and unregistered while other goroutines encode and decode. Each value is
// encoded completely by one of the codecs.
func TestRegisterWhileInUse(t *testing.T) {
	t.Cleanup(func() { UnregisterExt(77) })
	type outer struct{ A, B spot }
	v := outer{spot{1, 2}, spot{3, 4}}
	done := make(chan bool)
	var all sync.WaitGroup
	defer all.Wait()
	defer close(done)
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				data, err := Marshal(&v)
				if err != nil || len(data) != 23 && len(data) != 13 {
					t.Errorf("%x, %v", data, err)
					return
				}
				var back outer
				if err := Unmarshal(data, &back); err != nil {
					if !strings.Contains(err.Error(), "ext") && !strings.Contains(err.Error(), "decoding map length") {
						t.Error(err)
					}
				} else if back != v {
					t.Errorf("%+v", back)
				}
			}
		})
	}
	for range 100 {
		registerSpotExt(77)
		if data := marshal(t, &v); len(data) != 13 {
			t.Fatalf("%x after it was registered", data)
		}
		UnregisterExt(77)
		if data := marshal(t, &v); len(data) != 23 {
			t.Fatalf("%x after it was unregistered", data)
		}
	}
}

// An ext type may be registered at any time. The last registration counts.
func TestRegisterExtAgain(t *testing.T) {
	t.Run("types_may_be_registered_while_in_use", func(t *testing.T) {
		defer UnregisterExt(43)
		var all sync.WaitGroup
		for g := range 6 {
			all.Go(func() {
				for range 200 {
					if g == 0 {
						RegisterExtEncoder(43, (*chunk)(nil), writeChunk)
						RegisterExtDecoder(43, (*chunk)(nil), readChunk)
						continue
					}
					b, err := Marshal([]any{&chunk{[]byte{1, 2, 3}}, 1})
					var v any
					if err == nil && len(b) == 0 {
						t.Error("nothing is written")
					}
					_ = Unmarshal(unhex(t, "92 c7032b010203 05"), &v)
				}
			})
		}
		all.Wait()
	})

	t.Run("registration_after_the_first_use_takes_effect", func(t *testing.T) {
		type holder struct{ L late }
		wantHex(t, holder{late{5}}, "81a14c81a14e05")
		registerFor(t, 44, late{}, func(*Encoder, reflect.Value) ([]byte, error) { return []byte{9}, nil },
			func(d *Decoder, v reflect.Value, n int) error { v.Field(0).SetInt(int64(n)); return nil })
		wantHex(t, holder{late{5}}, "81a14cd42c09")
		var v holder
		if err := into(t, "81a14cd42c09", &v); err != nil || v.L.N != 1 {
			t.Error(v, err)
		}
		UnregisterExt(44)
		wantHex(t, holder{late{5}}, "81a14c81a14e05")
	})

	t.Run("the_last_registration_counts", func(t *testing.T) {
		registerFor(t, 46, (*chunk)(nil), func(*Encoder, reflect.Value) ([]byte, error) { return []byte{1}, nil }, readChunk)
		registerFor(t, 46, late{}, func(*Encoder, reflect.Value) ([]byte, error) { return []byte{2}, nil },
			func(d *Decoder, v reflect.Value, n int) error { v.Field(0).SetInt(46); return nil })
		wantHex(t, late{}, "d42e02")
		var v any
		if err := into(t, "d42e02", &v); err != nil || v != (late{46}) {
			t.Errorf("%#v, %v", v, err)
		}
		UnregisterExt(46)
		if err := into(t, "d42e02", &v); text(err) == "" {
			t.Error(v)
		}
		v = nil
		if err := into(t, "d42e02", &v); text(err) != "msgpack: unknown ext id=46" {
			t.Error(err)
		}
	})
}

func TestVersion(t *testing.T) {
	if Version() != "5.4.1" {
		t.Error(Version())
	}
}

// DecodeValue returns an error for values that cannot be decoded into.
func TestDecodeValueOfNothing(t *testing.T) {
	for want, v := range map[string]reflect.Value{
		"msgpack: Decode(nil)":               {},
		"msgpack: Decode(non-settable int)":  reflect.ValueOf(1),
		"msgpack: Decode(non-settable *int)": reflect.ValueOf((*int)(nil)),
	} {
		d := newDecoder()
		d.ResetBytes([]byte{1})
		if err := d.DecodeValue(v); text(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
