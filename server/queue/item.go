package queue

import (
	"context"
	"hash/crc32"
	"time"
)

// Item is an entry of a queue.
type Item struct {
	Tenant string
	Codec  uint8     // encoding of the body; the queue does not interpret it, but delivers only items of the same codec together
	Note   [4]uint32 // the caller's own counts; summed in [Count]
	Body   []byte

	// Order and Time are set by Put, for use by Deliver. A later item of a tenant has a higher
	// Order, even after crashes.
	Order uint64
	Time  time.Time
}

// Kind is the kind of a [Verdict].
type Kind uint8

const (
	Retry     Kind = iota // the items are kept, and retried after a pause
	Delivered             // the items have arrived
	Refused               // the target will never accept the items
	TooLarge              // the target will never accept the items together; they are retried immediately, in halves; a single item is refused
)

// Verdict is the outcome of a delivery. If it is the zero value, the queue keeps the items and
// retries them.
type Verdict struct {
	Kind  Kind
	After time.Duration // for Retry: minimum pause
	Fewer bool          // for Retry: the next call for the tenant has at most half of the weight of this call
	Down  bool          // for Retry: the target currently accepts no items of any tenant; the pause ends soon after a call for any tenant of the same group ends without Retry
	Err   error         // the reason; shown in logs and in TenantStats
}

// DeliverFunc delivers items of one tenant and one codec, in order. The items and their content are
// valid until the function returns. The function must return soon after ctx has ended.
type DeliverFunc func(ctx context.Context, tenant string, items []*Item) Verdict

// itemCost is the number of bytes that count against the limits for each item, in addition to its
// body. It covers the queue's own data for an item. In memory, this data is the struct item and a
// pointer in the tenant's line, with spare capacity. In the log, it is the entry without the body.
// So the limits also hold for a flood of empty bodies.
const itemCost = 128

// item is an Item in the queue.
type item struct {
	tenant *tenant
	order  uint64
	time   int64 // microseconds since the Unix epoch
	note   [4]uint32
	body   []byte // nil if it is only in the log
	size   uint32 // size of the body
	sum    uint32 // CRC-32C of the body
	head   uint32 // bytes before the body in the item's log entry
	codec  uint8
	gone   bool // delivered, refused or dropped
	lost   bool // the body can no longer be read from the log

	// The location of the body in the log, once the body is on disk. If the item was moved, this is
	// the location of the latest copy.
	segment    *segment // nil if the item is gone or lost
	offset     int64
	prev, next *item // neighbours among the segment's live items
}

// cost returns the number of bytes that are charged for the item against the limits.
func (it *item) cost() int64 { return int64(it.size) + itemCost }

// weight returns the item's contribution to the weight of a call: one plus the sum of the counts in
// Item.Note.
func (it *item) weight() int64 {
	w := int64(1)
	for _, n := range it.note {
		w += int64(n)
	}
	return w
}

// disk returns the length of the item's entry in the log.
func (it *item) disk() int64 { return int64(it.head) + int64(it.size) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func bodySum(body []byte) uint32 { return crc32.Checksum(body, castagnoli) }
