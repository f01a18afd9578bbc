package schema

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/schema"
)

// A change is a row of "The same change in both". It contains two versions of a Protobuf message,
// and pairs of schemas.
type change struct {
	theirs string // beginning of the second cell
	old    string // the fields of the old version in Protobuf
	new    string // the fields of the new version in Protobuf
	across func(*testing.T, *protoPair)
	ours   []string         // notations: old, new, old, new …; the last cell contains a verdict for each pair
	also   func(*testing.T) // checks the other statements of the third cell
}

// A protoPair contains the two versions in Protobuf.
type protoPair struct{ old, new protoType }

var verdicts = map[string]schema.Verdict{
	"equal": schema.Equal, "both read each other": schema.Both, "new reads old": schema.NewReadsOld, "incompatible": schema.Incompatible,
}

func (c change) check(t *testing.T, r pages.Row) {
	if !strings.HasPrefix(r.Cells[1], c.theirs) {
		t.Errorf("%s: the page says %q, the check %q", r.Where, r.Cells[1], c.theirs)
	}
	p := &protoPair{old: protoFields(t, c.old), new: protoFields(t, c.new)}
	c.across(t, p)
	var stated []schema.Verdict
	for part := range strings.FieldsFuncSeq(strings.ReplaceAll(r.Cells[3], "*", ""), func(c rune) bool { return c == ';' || c == ',' }) {
		v, ok := verdicts[strings.TrimPrefix(strings.TrimSpace(part), "or ")]
		if !ok {
			t.Fatalf("%s: %q is no verdict", r.Where, part)
		}
		stated = append(stated, v)
	}
	if len(c.ours) != 2*len(stated) {
		t.Fatalf("%s: %d verdicts for %d notations", r.Where, len(stated), len(c.ours))
	}
	for i, want := range stated {
		old, new := shapeOf(t, c.ours[2*i]), shapeOf(t, c.ours[2*i+1])
		if v, err := schema.Compat(old, new); v != want {
			t.Errorf("%s: %v → %v: %v, want %v (%v)", r.Where, old, new, v, want, err)
		}
	}
	if c.also != nil {
		c.also(t)
	}
}

// bothWays checks both directions: a message of one version has the same value in its first field
// when the other version decodes it.
func bothWays(value any) func(*testing.T, *protoPair) {
	return func(t *testing.T, p *protoPair) {
		t.Helper()
		for _, way := range [][2]protoType{{p.old, p.new}, {p.new, p.old}} {
			if got, err := way[1].read(way[0].write(value)); err != nil || got != text(value) {
				t.Errorf("%s, not %s, %v", got, text(value), err)
			}
		}
	}
}

// Go types whose encodings another schema decodes.
type (
	counted  struct{ N uint8 }
	tailed   struct{ N, More uint8 }
	timed    struct{ At time.Time }
	void     struct{}
	swapped  struct{ X, Y uint8 }
	wordlike struct{ S string }
)

func shapeOf(t *testing.T, notation string) *schema.Shape {
	t.Helper()
	s, err := schema.ParseShape(notation)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	plainCount = schema.Struct(schema.F("n", func(c *counted) *uint8 { return &c.N }, schema.U8))
	tailCount  = schema.Struct(schema.F("n", func(c *tailed) *uint8 { return &c.N }, schema.U8),
		schema.Tail(schema.F("more", func(c *tailed) *uint8 { return &c.More }, schema.U8)))
)

func changes() map[string]func(*testing.T, pages.Row) {
	checks := make(map[string]func(*testing.T, pages.Row))
	for row, c := range map[string]change{
		"rename a field": {
			theirs: "free, except in JSON and text", old: "int64 a = 1", new: "int64 b = 1",
			across: func(t *testing.T, p *protoPair) {
				b := p.old.write(int64(7))
				if got, err := p.new.read(b); err != nil || got != "7" {
					t.Error(got, err)
				}
				asJSON := `{"a":"7"}`
				if old, new := protojson.Unmarshal([]byte(asJSON), p.old.message()), protojson.Unmarshal([]byte(asJSON), p.new.message()); old != nil || new == nil {
					t.Error(old, new)
				}
			},
			ours: []string{"{a u8}", "{b u8}"},
			also: func(t *testing.T) {
				old, new := shapeOf(t, "{a u8}"), shapeOf(t, "{b u8}")
				if old.Fingerprint() != new.Fingerprint() || old.NamedFingerprint() == new.NamedFingerprint() {
					t.Error("the fingerprints of two names")
				}
			},
		},
		"add a field to the message": {
			theirs: "a new number", old: "int64 a = 1", new: "int64 a = 1; int64 b = 2",
			across: func(t *testing.T, p *protoPair) { bothWays(int64(7))(t, p); p.passesOn(t) },
			ours:   []string{"{n u8}", "{n u8, [more u8]}"},
			also: func(t *testing.T) {
				b, err := tailCount.Marshal(&tailed{1, 2})
				var c counted
				if rest, err2 := plainCount.Parse(b, &c); err != nil || err2 != nil || c.N != 1 || !bytes.Equal(rest, []byte{2}) {
					t.Error(c, rest, err, err2)
				}
				if err := plainCount.Unmarshal(b, &c); !errors.Is(err, schema.ErrRest) {
					t.Error(err)
				}
			},
		},
		"add a number, a flag or a time, also in a nested struct": {
			theirs: "a new number", old: "int64 a = 1", new: "int64 a = 1; bool b = 2", across: bothWays(int64(7)),
			ours: []string{"{l list8({a u8, skip13})}", "{l list8({a u8, n u32, flag bool, at time})}"},
		},
		"add a field elsewhere": {
			theirs: "a new number", old: "int64 a = 1; int64 c = 2", new: "int64 a = 1; int64 b = 3; int64 c = 2", across: bothWays(int64(7)),
			ours: []string{"{a u8, c u8}", "{a u8, b u8, c u8}"},
		},
		"remove the last field of a `Tail`": {
			theirs: "`reserved`", old: "int64 a = 1; int64 b = 2", new: "int64 a = 1; reserved 2", across: reservedNumber,
			ours: []string{"{a u8, [b u8, c str8]}", "{a u8, [b u8]}"},
		},
		"remove a number, a flag or a time": {
			theirs: "`reserved`", old: "int64 a = 1; int64 b = 2", new: "int64 a = 1; reserved 2", across: reservedNumber,
			ours: []string{"{a u8, n u32, flag bool, at time}", "{a u8, skip13}"},
			also: func(t *testing.T) {
				b, err := schema.Struct(schema.Skip[void](8)).Marshal(&void{})
				old := schema.Struct(schema.F("at", func(v *timed) *time.Time { return &v.At }, schema.Time))
				v := timed{time.Now()}
				if err2 := old.Unmarshal(b, &v); err != nil || err2 != nil || v.At.IsZero() || !v.At.Equal(time.Unix(0, 0)) {
					t.Error(v, err, err2)
				}
			},
		},
		"remove a string, list or map": {
			theirs: "`reserved`", old: "int64 a = 1; string b = 2", new: "int64 a = 1; reserved 2", across: reservedNumber,
			ours: []string{"{n u8, s str8}", "{n u8, gone str8}", "{n u8, s str8}", "{n u8}"},
			also: func(t *testing.T) {
				drops := schema.Struct(schema.Get("s", schema.Str8, func(*void) string { return "" }, func(*void, string) {}))
				keeps := schema.Struct(schema.F("s", func(w *wordlike) *string { return &w.S }, schema.Str8))
				if v, err := schema.Compat(keeps.Shape(), drops.Shape()); v != schema.Equal {
					t.Error(v, err)
				}
				b, err := keeps.Marshal(&wordlike{"gone"})
				empty, err2 := drops.Marshal(&void{})
				if err3 := drops.Unmarshal(b, &void{}); err != nil || err2 != nil || err3 != nil || string(empty) != "\x00" {
					t.Errorf("%x, %v, %v, %v", empty, err, err2, err3)
				}
			},
		},
		"change a bool to a number": {
			theirs: "free among varints", old: "bool a = 1", new: "int32 a = 1",
			across: func(t *testing.T, p *protoPair) {
				if got, err := p.new.read(p.old.write(true)); err != nil || got != "1" {
					t.Error(got, err)
				}
				if got, err := p.old.read(p.new.write(int32(1))); err != nil || got != "true" {
					t.Error(got, err)
				}
			},
			ours: []string{"{a bool}", "{a u8}"},
		},
		"change a string to bytes, or bytes to a string": {
			theirs: "free if the bytes are UTF-8 text", old: "string a = 1", new: "bytes a = 1",
			across: func(t *testing.T, p *protoPair) {
				if got, err := p.new.read(p.old.write("é")); err != nil || got != text([]byte("é")) {
					t.Error(got, err)
				}
				if got, err := p.old.read(p.new.write([]byte("é"))); err != nil || got != "é" {
					t.Error(got, err)
				}
				if got, err := p.old.read(p.new.write([]byte("\xff"))); err == nil {
					t.Error("text that is not UTF-8: ", got)
				}
			},
			ours: []string{"{a str8, b blob16}", "{a blob8, b str16}"},
			also: func(t *testing.T) {
				if v, _ := schema.Compat(shapeOf(t, "{a str8}"), shapeOf(t, "{a blob16}")); v != schema.Incompatible {
					t.Error("another header: ", v)
				}
			},
		},
		"widen a number": {
			theirs: "int32 to int64: free, but older readers truncate the value; fixed32 to fixed64: not possible", old: "int32 a = 1", new: "int64 a = 1",
			across: func(t *testing.T, p *protoPair) {
				bothWays32 := p.old.write(int32(-7))
				if got, err := p.new.read(bothWays32); err != nil || got != "-7" {
					t.Error(got, err)
				}
				if got, err := p.old.read(p.new.write(int64(1<<40 + 7))); err != nil || got != "7" {
					t.Error(got, err)
				}
				if got, err := protoFields(t, "fixed64 a = 1").read(protoFields(t, "fixed32 a = 1").write(uint32(7))); err == nil && got == "7" {
					t.Error("a fixed32 is read as a fixed64")
				}
			},
			ours: []string{"{a i32}", "{a i64}"},
			also: func(t *testing.T) {
				narrow, err := schema.Of(schema.I32)
				wide, err2 := schema.Of(schema.As[int64](schema.I32))
				if err != nil || err2 != nil || narrow.Fingerprint() != wide.Fingerprint() {
					t.Error("As is not free: ", err, err2)
				}
			},
		},
		"allow longer strings and lists": {
			theirs: "nothing to do", old: "string a = 1", new: "string a = 1", across: bothWays(strings.Repeat("a", 1000)),
			ours: []string{"{a str8, b list8(u8)}", "{a str16, b list16(u8)}"},
			also: func(t *testing.T) {
				for n, is := range map[int]error{255: nil, 256: schema.ErrOverflow} {
					if _, err := sizeOf(schema.Str8, strings.Repeat("a", n))(); !errors.Is(err, is) {
						t.Errorf("%d bytes: %v", n, err)
					}
				}
			},
		},
		"make a field `optional`": {
			theirs: "free", old: "int64 a = 1", new: "optional int64 a = 1", across: bothWays(int64(7)),
			ours: []string{"{a i64}", "{a opt(i64)}"},
		},
		"make a field `repeated`": {
			theirs: "free for strings, bytes and messages", old: "string a = 1", new: "repeated string a = 1",
			across: func(t *testing.T, p *protoPair) {
				for _, kind := range []string{"string", "bytes", "message"} {
					old, new := protoFields(t, kind+" a = 1"), protoFields(t, "repeated "+kind+" a = 1")
					single, list := old.some(), new.some()
					if got, err := new.read(single); err != nil || got == "[]" {
						t.Errorf("%s, by the newer: %s, %v", kind, got, err)
					}
					if got, err := old.read(list); err != nil || got != mustRead(t, old, single) {
						t.Errorf("%s, by the older: %s, %v", kind, got, err)
					}
				}
				// A list of numbers is packed, so the older version finds no number.
				old, new := protoFields(t, "int64 a = 1"), protoFields(t, "repeated int64 a = 1")
				if got, err := old.read(new.some()); err != nil || got != "0" {
					t.Errorf("numbers: %s, %v", got, err)
				}
			},
			ours: []string{"{a str8}", "{a list8(str8)}"},
		},
		"reorder": {
			theirs: "free: only the field numbers matter", old: "int64 a = 1; int64 b = 2", new: "int64 b = 2; int64 a = 1", across: bothWays(int64(7)),
			ours: []string{"{a u8, b u16}", "{b u16, a u8}", "{a u8, b u8}", "{b u8, a u8}"},
			also: func(t *testing.T) {
				x := schema.F("x", func(v *swapped) *uint8 { return &v.X }, schema.U8)
				y := schema.F("y", func(v *swapped) *uint8 { return &v.Y }, schema.U8)
				there, back := schema.Struct(x, y), schema.Struct(y, x)
				b, err := there.Marshal(&swapped{1, 2})
				var v swapped
				if err2 := back.Unmarshal(b, &v); err != nil || err2 != nil || v != (swapped{2, 1}) || there.NamedFingerprint() == back.NamedFingerprint() {
					t.Error(v, err, err2)
				}
				// Fields made by F do not depend on the order of fields in the Go struct. The
				// result of Derive does.
				type turned struct{ Y, X uint8 }
				same := schema.Struct(schema.F("x", func(v *turned) *uint8 { return &v.X }, schema.U8), schema.F("y", func(v *turned) *uint8 { return &v.Y }, schema.U8))
				derived, err := schema.Derive[swapped]()
				other, err2 := schema.Derive[turned]()
				if err != nil || err2 != nil || same.NamedFingerprint() != there.NamedFingerprint() || derived.NamedFingerprint() == other.NamedFingerprint() {
					t.Error("the order of the Go struct: ", err, err2)
				}
			},
		},
	} {
		checks[row] = c.check
	}
	return checks
}

// reservedNumber checks that both versions decode each other's messages, and that the number is
// rejected for another field.
func reservedNumber(t *testing.T, p *protoPair) {
	bothWays(int64(7))(t, p)
	if _, err := protoFile("int64 a = 1; int64 again = 2; reserved 2"); err == nil {
		t.Error("a number that is reserved was taken")
	}
}
