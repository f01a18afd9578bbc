package queue

import (
	"context"
	"hash/crc32"
	"time"
)

// Item is an entry of a queue.
type Item struct {
	Tenant string
	Codec  uint8     // how the body is to be read; opaque to the queue, which joins items of one codec only
	Note   [4]uint32 // counts of the caller's own; summed where items are counted
	Body   []byte

	// Order and Time are set by Put. A later item of a tenant has a higher Order, also after
	// crashes.
	Order uint64
	Time  time.Time
}

// Kind is the outcome of a delivery.
type Kind uint8

const (
	Retry     Kind = iota // they are kept and tried again after a pause
	Delivered             // they are where they should be
	Refused               // they will never be taken
	TooLarge              // they will never be taken together: tried again in halves, at once. A single item is refused
)

// Verdict is the outcome of a delivery. The zero value keeps the items.
type Verdict struct {
	Kind  Kind
	After time.Duration // of Retry: the pause is at least so long
	Fewer bool          // of Retry: the next call for the tenant has at most half of the weight
	Down  bool          // of Retry: the target takes nobody's items at present; the pause ends soon after it has answered a call
	Err   error         // why; shown in logs and in TenantStats
}

// DeliverFunc delivers items of one tenant and one codec, in order. The items and their content are
// valid until it returns. It must return soon after ctx has ended.
type DeliverFunc func(ctx context.Context, tenant string, items []*Item) Verdict

// itemCost is what each item counts for beside its body: what the queue itself keeps of it in
// memory, item and the pointer in its tenant's line with room to grow, or in the log. So the bounds
// hold for a flood of empty bodies too.
const itemCost = 128

// item is what the queue keeps of an Item.
type item struct {
	tenant *tenant
	order  uint64
	time   int64 // microseconds since the Unix epoch
	note   [4]uint32
	body   []byte // nil: only in the log
	size   uint32 // of the body
	sum    uint32 // CRC-32C of the body
	head   uint32 // bytes that stand before the body in its entry
	codec  uint8
	gone   bool // delivered, refused or dropped
	lost   bool // the log does not give the body any more

	// Where the body lies, once it is on disk: in its latest copy, if it was moved.
	segment    *segment // nil: nowhere, for it is gone or lost
	offset     int64
	prev, next *item // neighbours among the segment's live items
}

// cost is what the item counts for against the bounds.
func (it *item) cost() int64 { return int64(it.size) + itemCost }

// weight is what the item counts for where items are delivered together: one, and the sum of its
// notes.
func (it *item) weight() int64 {
	w := int64(1)
	for _, n := range it.note {
		w += int64(n)
	}
	return w
}

// disk is how long the item's entry in the log is.
func (it *item) disk() int64 { return int64(it.head) + int64(it.size) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func bodySum(body []byte) uint32 { return crc32.Checksum(body, castagnoli) }
