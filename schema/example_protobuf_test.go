package schema_test

import (
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// These types are the message of docs/from-protobuf.md.
type (
	Order struct {
		ID      uint64
		At      time.Time
		State   State
		Items   []Item
		Labels  map[string]string
		Receipt []byte
		Note    *string
		IBAN    *string // the payment is one of these two
		Voucher *uint32
	}
	Item struct {
		SKU   string
		Count uint32
		Cents int64
	}
	State int32
)

const (
	Open State = iota
	Paid
	Sent
)

var items = schema.Struct(
	schema.F("sku", func(i *Item) *string { return &i.SKU }, schema.Str8),
	schema.F("count", func(i *Item) *uint32 { return &i.Count }, schema.U32),
	schema.F("cents", func(i *Item) *int64 { return &i.Cents }, schema.I64))

var orders = schema.Struct(
	schema.F("id", func(o *Order) *uint64 { return &o.ID }, schema.U64),
	schema.F("at", func(o *Order) *time.Time { return &o.At }, schema.Time),
	schema.F("state", func(o *Order) *State { return &o.State }, schema.As[State](schema.U8)),
	schema.F("items", func(o *Order) *[]Item { return &o.Items }, schema.List(schema.H8, items.Type())),
	schema.F("labels", func(o *Order) *map[string]string { return &o.Labels }, schema.Map(schema.H8, schema.Str8, schema.Str8)),
	schema.F("receipt", func(o *Order) *[]byte { return &o.Receipt }, schema.Blob(schema.H8)),
	schema.F("note", func(o *Order) **string { return &o.Note }, schema.Opt(schema.Str8)),
	schema.F("iban", func(o *Order) **string { return &o.IBAN }, schema.Opt(schema.Str8)),
	schema.F("voucher", func(o *Order) **uint32 { return &o.Voucher }, schema.Opt(schema.U32)),
	schema.Skip[Order](8)) // was: coupon u64

// This message could be a Protocol Buffers message. It contains one field of each kind.
func Example_protobuf() {
	o := Order{
		ID: 42, At: time.Unix(1_700_000_000, 500_000_000), State: Paid,
		Items:  []Item{{"cat-food", 3, 499}, {"bowl", 1, 1250}},
		Labels: map[string]string{"src": "web"}, Receipt: []byte{1, 2, 3, 4}, IBAN: new("DE02"),
	}
	b, err := orders.Marshal(&o)
	fmt.Println(len(b), err)

	var got Order
	err = orders.Unmarshal(b, &got)
	fmt.Println(got.ID, got.At, got.State == Paid, got.Items, got.Labels, got.Receipt, got.Note == nil, *got.IBAN, got.Voucher == nil, err)
	fmt.Println(orders)
	// Output:
	// 86 <nil>
	// 42 2023-11-14 22:13:20.5 +0000 UTC true [{cat-food 3 499} {bowl 1 1250}] map[src:web] [1 2 3 4] true DE02 true <nil>
	// {id u64, at time, state u8, items list8({sku str8, count u32, cents i64}), labels map8(str8,str8), receipt blob8, note opt(str8), iban opt(str8), voucher opt(u32), skip8}
}

// These are the changes that docs/from-protobuf.md lists.
func ExampleCompat_changes() {
	const old = "{id u64, name str8, count u32, cents u32, paid bool, skip8}"
	for _, c := range []struct{ change, new string }{
		{"rename", "{id u64, title str8, count u32, cents u32, paid bool, skip8}"},
		{"add into a Tail", "{id u64, name str8, count u32, cents u32, paid bool, skip8, [note opt(str8)]}"},
		{"add into a Skip", "{id u64, name str8, count u32, cents u32, paid bool, coupon u64}"},
		{"add at the end", "{id u64, name str8, count u32, cents u32, paid bool, skip8, note opt(str8)}"},
		{"remove, and leave a Skip", "{id u64, name str8, skip4, cents u32, paid bool, skip8}"},
		{"remove", "{id u64, name str8, cents u32, paid bool, skip8}"},
		{"bool to u8", "{id u64, name str8, count u32, cents u32, paid u8, skip8}"},
		{"str8 to blob8", "{id u64, name blob8, count u32, cents u32, paid bool, skip8}"},
		{"u32 to u64", "{id u64, name str8, count u64, cents u32, paid bool, skip8}"},
		{"str8 to str16", "{id u64, name str16, count u32, cents u32, paid bool, skip8}"},
		{"u32 to opt(u32)", "{id u64, name str8, count opt(u32), cents u32, paid bool, skip8}"},
		{"u32 to list8(u32)", "{id u64, name str8, count list8(u32), cents u32, paid bool, skip8}"},
		{"reorder", "{name str8, id u64, count u32, cents u32, paid bool, skip8}"},
		{"reorder two u32", "{id u64, name str8, cents u32, count u32, paid bool, skip8}"},
	} {
		before, err1 := schema.ParseShape(old)
		after, err2 := schema.ParseShape(c.new)
		if err1 != nil || err2 != nil {
			fmt.Println(err1, err2)
			continue
		}
		verdict, _ := schema.Compat(before, after)
		fmt.Printf("%s: %v\n", c.change, verdict)
	}
	// Output:
	// rename: equal
	// add into a Tail: both read each other
	// add into a Skip: both read each other
	// add at the end: incompatible
	// remove, and leave a Skip: both read each other
	// remove: incompatible
	// bool to u8: new reads old
	// str8 to blob8: both read each other
	// u32 to u64: incompatible
	// str8 to str16: incompatible
	// u32 to opt(u32): incompatible
	// u32 to list8(u32): incompatible
	// reorder: incompatible
	// reorder two u32: equal
}
