package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestCompat checks each rule of Compat, and cases close to its limits.
func TestCompat(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     Verdict
		why      string // text of the first difference
	}{
		{"u8", "u8", Equal, ""},
		{"bool", "u8", NewReadsOld, "old does not read new: old has bool, new has u8"},
		{"list8(str8)", "list8({a str8})", Both, ""},
		{"{a list8(u8)}", "list8(u8)", Both, ""},
		{"u8", "{a u8, [b u8]}", Both, ""},
		{"{a u8, b u8}", "list8(u8)", Incompatible, "new does not read old: old has a (u8), new has list8"},

		// names
		{"{a u8, b str8}", "{a u8, b str8}", Equal, ""},
		{"{a u8, b {c str8}}", "{x u8, y {z str8}}", Equal, ""},
		{"{}", "{}", Equal, ""},

		// the Tail
		{"{a u8}", "{a u8, [b str8]}", Both, ""},
		{"{}", "{[b str8]}", Both, ""},
		{"{a u8, [b str8]}", "{a u8, [b str8, c u8, d opt(u8)]}", Both, ""},
		{"{a u8, [b str8, c u8]}", "{a u8, [b str8]}", Both, ""},
		{"{a u8, [b str8]}", "{a u8}", Both, ""},
		{"{a u8, b u16}", "{a u8, [b u16]}", NewReadsOld, "old does not read new: old has b (u16), new has [b (u16)]"},
		{"{a u8, [b u16]}", "{a u8, b u16}", OldReadsNew, "new does not read old: old has [b (u16)], new has b (u16)"},
		{"{a u8, [b u16, c u8]}", "{a u8, b u16, [c u8]}", OldReadsNew, "new does not read old: old has [b (u16)], new has b (u16)"},
		{"{a u8, [b u16]}", "{a u8, [c u8, b u16]}", Incompatible, "new does not read old: old has [b (u16)], new has [c (u8)]"},
		{"{a u8, [b u16]}", "{a u8, [b u32]}", Incompatible, "new does not read old: old has [b (u16)], new has [b (u32)]"},
		{"{a u8, [b u8, c u8]}", "{a u8, [b {x u8, y u8}]}", OldReadsNew, "new does not read old: old has [c (u8)], new has [b.y (u8)]"},
		{"{a u8, [b {}, c u8]}", "{a u8, [c u8]}", Both, ""},
		{"{a u8}", "{a u8, b str8}", Incompatible, "new does not read old: old has no further field, new has b (str8)"},
		{"{a u8, b str8}", "{a u8}", Incompatible, "new does not read old: old has b (str8), new has no further field"},
		{"{a u8, [b u8]}", "{a u8, [skip1]}", Both, ""},
		{"{a u8, [b u8]}", "{a u8, [skip4]}", Incompatible, "new does not read old: old has no further field, new has [skip3]"},
		{"{skip2, [b u16]}", "{skip2, [skip1, c u8]}", Incompatible, "new does not read old: old has [b (u16)], new has [skip1]"},

		// Skip
		{"{a u8, skip4, b u8}", "{a u8, x u16, skip2, b u8}", Both, ""},
		{"{a u8, skip4, b u8}", "{a u8, skip1, x u8, y bool, skip1, b u8}", Both, ""},
		{"{a u8, skip4, b u8}", "{a u8, x f32be, b u8}", Both, ""},
		{"{skip3, skip5, b u8}", "{x i64, b u8}", Both, ""},
		{"{skip8, b u8}", "{x time, b u8}", Both, ""},
		{"{skip8, b u8}", "{x array2({y u16, z array2(bool)}), b u8}", Both, ""},
		{"{x u64, b u8}", "{skip2, skip6, b u8}", Both, ""},
		{"{skip4, b u8}", "{skip2, skip2, b u8}", Both, ""},
		{"{skip9000}", "{x array4500({y u16})}", Both, ""},
		{"{p {a u8, skip2}, skip2}", "{p {a u8}, x u32}", Both, ""},
		{"{l list8({skip2})}", "{l list8({x u16})}", Both, ""},
		{"{skip0}", "{}", Both, ""},
		{"{a u8, skip4, b u8}", "{a u8, x u16, skip3, b u8}", Incompatible, "new does not read old: old has no further field, new has b (u8)"},
		{"{a u8, skip2, b u8}", "{a u8, x u32}", Incompatible, "new does not read old: old has skip2, new has x (u32)"},
		{"{a u8, skip2, b u16}", "{a u8, x u32}", Incompatible, "new does not read old: old has skip2, new has x (u32)"},
		{"{skip1, x u8}", "{x u16}", Incompatible, "new does not read old: old has skip1, new has x (u16)"},
		{"{skip1, b u8}", "{x str8, b u8}", Incompatible, "new does not read old: old has skip1, new has x (str8)"},
		{"{skip1, b u8}", "{x opt(u8), b u8}", Incompatible, "new does not read old: old has skip1, new has x (opt)"},
		{"{skip10}", "{x timezone}", Incompatible, "new does not read old: old has skip10, new has x (timezone)"},
		{"{skip9000}", "{x array9000({y str8})}", Incompatible, "new does not read old: old has skip9000, new has x (array9000)"},
		{"{skip2}", "{}", Incompatible, "new does not read old: old has skip2, new has no further field"},
		{"{skip1, [skip1]}", "{x u16}", OldReadsNew, "new does not read old: old has skip1, new has x (u16)"},

		// types
		{"{a str8}", "{a blob8}", Both, ""},
		{"{a map8(str16,list8(blob8))}", "{a map8(blob16,list8(str8))}", Both, ""},
		{"{a time}", "{a i64}", Both, ""},
		{"{a bool}", "{a u8}", NewReadsOld, "old does not read new: old has a (bool), new has a (u8)"},
		{"{a u8}", "{a bool}", OldReadsNew, "new does not read old: old has a (u8), new has a (bool)"},
		{"{a map8(bool,u8)}", "{a map8(u8,bool)}", Incompatible, "new does not read old: old has a[] (u8), new has a[] (bool)"},
		{"{a opt(bool)}", "{a opt(u8)}", NewReadsOld, "old does not read new: old has a (bool), new has a (u8)"},
		{"{a str8}", "{a str16}", Incompatible, "new does not read old: old has a (str8), new has a (str16)"},
		{"{a str16}", "{a blob16be}", Incompatible, "new does not read old: old has a (str16), new has a (blob16be)"},
		{"{a list8(u8)}", "{a listi8(u8)}", Incompatible, "new does not read old: old has a (list8), new has a (listi8)"},
		{"{a list8(u8)}", "{a blob8}", Incompatible, "new does not read old: old has a (list8), new has a (blob8)"},
		{"{a time}", "{a i64be}", Incompatible, "new does not read old: old has a (time), new has a (i64be)"},
		{"{a time}", "{a u64}", Incompatible, "new does not read old: old has a (time), new has a (u64)"},
		{"{a timezone}", "{a time}", Incompatible, "new does not read old: old has a (timezone), new has a (time)"},
		{"{a bool}", "{a i8}", Incompatible, "new does not read old: old has a (bool), new has a (i8)"},
		{"{a u32}", "{a i32}", Incompatible, "new does not read old: old has a (u32), new has a (i32)"},
		{"{a u32}", "{a f32}", Incompatible, "new does not read old: old has a (u32), new has a (f32)"},
		{"{a u32}", "{a u32be}", Incompatible, "new does not read old: old has a (u32), new has a (u32be)"},
		{"{a u32}", "{a u64}", Incompatible, "new does not read old: old has a (u32), new has a (u64)"},
		{"{a f64}", "{a f64be}", Incompatible, "new does not read old: old has a (f64), new has a (f64be)"},
		{"{a map8(u8,u8)}", "{a map8(u16,u8)}", Incompatible, "new does not read old: old has a[key] (u8), new has a[key] (u16)"},
		{"{a custom4:x}", "{b custom4:x}", Equal, ""},
		{"{a custom4:x}", "{a {b custom4:x}}", Both, ""},
		{"{a custom4:x}", "{a custom4:y}", Incompatible, "new does not read old: old has a (custom4:x), new has a (custom4:y)"},
		{"{skip4}", "{a custom4:x}", Incompatible, "new does not read old: old has skip4, new has a (custom4:x)"},
		{"{a u8}", "{a opt(u8)}", Incompatible, "new does not read old: old has a (u8), new has a (opt)"},

		// order
		{"{a u8, b u16}", "{b u16, a u8}", Incompatible, "new does not read old: old has a (u8), new has b (u16)"},
		{"{a u8, b u16}", "{a u8, x u16, b u16}", Incompatible, "new does not read old: old has no further field, new has b (u16)"},
		{"{a u8, b str8, c u16}", "{a u8, c u16}", Incompatible, "new does not read old: old has b (str8), new has c (u16)"},

		// structs and arrays
		{"{a {b u8, c str8}, d u8}", "{b u8, c {x str8, d u8}}", Both, ""},
		{"{a array3(str8)}", "{a str8, b {c blob8, d {e str8}}}", Both, ""},
		{"{a array2(array3(u8))}", "{a array6(u8)}", Both, ""},
		{"{a array0(str8), b array9({}), d array9000({skip0}), c u8}", "{c u8}", Both, ""},
		{"{a array5000(bool)}", "{a array5000(u8)}", NewReadsOld, "old does not read new: old has a[] (bool), new has a[] (u8)"},
		{"{a array256(u8), b array16(array16(str8))}", "{a u8, b array255(u8), c array256(str8)}", Both, ""},
		{"{a array257(u8)}", "{a u8, b array256(u8)}", Incompatible, "new does not read old: old has a (array257), new has a (u8)"},
		{"{a array5000(u8)}", "{a array5001(u8)}", Incompatible, "new does not read old: old has a (array5000), new has a (array5001)"},
		{"{a array3(u8)}", "{a array4(u8)}", Incompatible, "new does not read old: old has no further field, new has a[3] (u8)"},
		{"{a list8({x u8, y {z u8}})}", "{a list8(array2(u8))}", Both, ""},
		{"{a list8({x u8, y u16})}", "{a list8({x u8, y u32})}", Incompatible, "new does not read old: old has a[].y (u16), new has a[].y (u32)"},

		// recursive types
		{"{a u8, next opt(^0)}", "{a u8, next opt({a u8, next opt(^1)})}", Both, ""},
		{"{a u8, next opt(^0)}", "{a u8, next opt({a u8, next opt(^0)})}", Both, ""},
		{"{a bool, next opt(^0)}", "{a bool, next opt({a u8, next opt(^1)})}", NewReadsOld, "old does not read new: old has next.a (bool), new has next.a (u8)"},
		{"{a u8, next opt(^0)}", "{a u8, next opt({a u8, next opt({a u16, next opt(^2)})})}", Incompatible, "new does not read old: old has next.next.a (u8), new has next.next.a (u16)"},
		{"{all list8(^0)}", "{all list8({all list8(^0)})}", Both, ""},
		{"{x {all list8(^0)}}", "{x {all list8(^1)}}", Both, ""},
	} {
		old, new := mustShape(c.old), mustShape(c.new)
		got, err := Compat(old, new)
		if got != c.want || (err == nil) != (c.want&Both == Both) || !strings.HasPrefix(fmt.Sprint(err), "schema: "+c.why) && c.why != "" {
			t.Errorf("%s → %s: %v, %v; want %v, %s", c.old, c.new, got, err, c.want, c.why)
		}
		var d *Difference
		if err != nil && !errors.As(err, &d) {
			t.Errorf("%T", err)
		}
		if got == Incompatible && strings.Count(err.Error(), "\n") != 1 {
			t.Errorf("%s → %s: %v", c.old, c.new, err)
		}

		// With the arguments swapped, the verdict is mirrored.
		turned := map[Verdict]Verdict{NewReadsOld: OldReadsNew, OldReadsNew: NewReadsOld}
		want, ok := turned[c.want]
		if !ok {
			want = c.want
		}
		if got, _ := Compat(new, old); got != want {
			t.Errorf("%s → %s: %v, want %v", c.new, c.old, got, want)
		}
		if (old.Fingerprint() == new.Fingerprint()) != (c.want == Equal) {
			t.Errorf("%s, %s: fingerprints %x %x", c.old, c.new, old.Fingerprint(), new.Fingerprint())
		}
	}
}
