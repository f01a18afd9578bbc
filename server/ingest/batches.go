package ingest

import (
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/server/refusal"
)

// Batches contains the idempotency keys of stored requests. If a request is repeated with the same
// key, it gets a response, but is not stored again.
//
//	claim ──▶ held ──the log has the rows──▶ stored ──after the window──▶ forgotten
//	            └────────refused──▶ free
//
// The log stores a key in the same record as the rows, so it contains either both or neither.
// Before the log deletes the record, the keys in the record are written again at the end of the
// log. For this purpose, Batches must be the [table.Options.Carrier] of the handler's store.
//
// Each database has its own keys. If there are too many keys, the database with the most keys loses
// its oldest keys. So a sender with many keys does not affect the keys of other databases.
type Batches struct {
	window time.Duration

	mu        sync.Mutex
	most      int
	stored    map[batchID]*batch
	held      map[batchID]chan struct{} // the channel is closed when the request that holds the key has ended
	databases map[string]*keys
	forgotten int64
}

// batchID identifies a key of a database.
type batchID [16]byte

// digest is a hash of the content of a request: its table, format, unit of time and decompressed
// body. If the body is encoded with a schema, the hash includes the notation of the schema.
type digest [16]byte

// batch describes a stored request.
type batch struct {
	digest         digest
	seq            uint64 // sequence number of the record that contains the key
	time           int64  // time of receipt, in microseconds
	rows, rejected int
}

// keys contains the stored keys of a database, ordered by time. After a restart, keys are read from
// the log. Keys that were written to the log again may be older than the keys before them. So the
// keys that were read are sorted before their order is used.
type keys struct {
	ids      []batchID
	recalled bool // keys that were read from the log have not been sorted yet
}

const (
	// maxBatches is the maximum number of stored keys. This number of keys uses about 35 MB of
	// memory.
	maxBatches = 1 << 18

	// batchShare limits the size of all stored keys to 1/batchShare of a log segment, because all
	// keys may be written to the end of the log together.
	batchShare = 8
)

// NewBatches returns a Batches without keys. It keeps each key for the duration `window`.
func NewBatches(window time.Duration) *Batches {
	return &Batches{
		window: window, most: maxBatches,
		stored: make(map[batchID]*batch), held: make(map[batchID]chan struct{}), databases: make(map[string]*keys),
	}
}

// fit sets the maximum number of keys according to the size of the log's segments.
func (b *Batches) fit(segment int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.most = int(min(maxBatches, max(segment/batchShare/batchSize, 1)))
	b.shrink()
}

func idOf(db, key string) batchID { return sum([]byte(db), []byte(key)) }

// sum returns the first half of the SHA-256 hash of the texts and their lengths.
func sum(texts ...[]byte) [16]byte {
	h := sha256.New()
	var n [8]byte
	for _, text := range texts {
		binary.LittleEndian.PutUint64(n[:], uint64(len(text)))
		h.Write(n[:])
		h.Write(text)
	}
	return [16]byte(h.Sum(nil))
}

// claim reserves a key for the calling request. If a batch is already stored under the key, claim
// returns this batch instead. While another request has reserved the key, claim waits.
func (b *Batches) claim(ctx context.Context, db string, id batchID, d digest) (*batch, error) {
	for {
		b.mu.Lock()
		b.expire(db, time.Now())
		if one := b.stored[id]; one != nil {
			b.mu.Unlock()
			if one.digest != d {
				return nil, refusal.New(refusal.KeyReused, "nothing was stored: the key was used for another request: use a new key for each batch, and the same key only to send the same batch again").In("Idempotency-Key")
			}
			return one, nil
		}
		ended := b.held[id]
		if ended == nil {
			b.held[id] = make(chan struct{})
			b.mu.Unlock()
			return nil, nil
		}
		b.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
			return nil, refusal.New(refusal.TimedOut, "another request with this key is in progress: send this request again")
		}
	}
}

// free releases a key that a request has claimed. It is called if the request was not stored.
func (b *Batches) free(id batchID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(id)
}

func (b *Batches) end(id batchID) {
	if ended := b.held[id]; ended != nil {
		close(ended)
		delete(b.held, id)
	}
}

// store adds the key of a stored request to the stored keys, and wakes the requests that wait for
// the key.
func (b *Batches) store(db string, id batchID, one batch) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.end(id)
	b.add(db, id, one)
	b.shrink()
}

func (b *Batches) add(db string, id batchID, one batch) {
	if had := b.stored[id]; had != nil { // a key that was already recalled
		*had = one
		return
	}
	b.stored[id] = &one
	k := b.databases[db]
	if k == nil {
		k = new(keys)
		b.databases[db] = k
	}
	k.ids = append(k.ids, id)
}

// keysOf returns the keys of a database, starting with the oldest.
func (b *Batches) keysOf(db string) *keys {
	k := b.databases[db]
	if k != nil && k.recalled {
		slices.SortStableFunc(k.ids, func(x, y batchID) int { return cmp.Compare(b.stored[x].time, b.stored[y].time) })
		k.recalled = false
	}
	return k
}

// drop forgets the n oldest keys of a database.
func (b *Batches) drop(db string, n int) {
	k := b.keysOf(db)
	for _, id := range k.ids[:n] {
		delete(b.stored, id)
	}
	if k.ids = k.ids[n:]; len(k.ids) == 0 {
		delete(b.databases, db)
	}
}

// expire forgets the keys of a database that are older than the window.
func (b *Batches) expire(db string, now time.Time) {
	k := b.keysOf(db)
	if k == nil {
		return
	}
	n := 0
	for n < len(k.ids) && b.expired(b.stored[k.ids[n]], now) {
		n++
	}
	b.drop(db, n)
}

func (b *Batches) expired(one *batch, now time.Time) bool {
	return one.time < now.Add(-b.window).UnixMicro()
}

// shrink forgets keys if there are too many keys. It repeatedly forgets the oldest keys of the
// database with the most keys. If several databases have the same number of keys, it chooses the
// database with the oldest key. A call of shrink visits all databases. So that fewer calls are
// needed, each call forgets more keys than necessary.
func (b *Batches) shrink() {
	if len(b.stored) <= b.most {
		return
	}
	now := time.Now()
	full := fullest{of: b}
	for db := range b.databases {
		if b.expire(db, now); b.databases[db] != nil {
			full.databases = append(full.databases, db)
		}
	}
	heap.Init(&full)
	for len(b.stored) > b.most-b.most/spareKeys {
		db := full.databases[0]
		n := max(len(b.databases[db].ids)/spareKeys, 1)
		b.forgotten += int64(n)
		if b.drop(db, n); b.databases[db] == nil {
			heap.Pop(&full)
		} else {
			heap.Fix(&full, 0)
		}
	}
}

// spareKeys determines how many keys shrink forgets. In total, shrink forgets a 64th of the maximum
// number of keys. In each step, it forgets a 64th of the keys of one database.
const spareKeys = 64

// fullest is a heap of databases, ordered by the number of keys. The database with the most keys
// comes first.
type fullest struct {
	of        *Batches
	databases []string
}

func (f *fullest) Len() int      { return len(f.databases) }
func (f *fullest) Swap(i, j int) { f.databases[i], f.databases[j] = f.databases[j], f.databases[i] }
func (f *fullest) Push(db any)   { f.databases = append(f.databases, db.(string)) }

func (f *fullest) Less(i, j int) bool {
	x, y := f.of.keysOf(f.databases[i]), f.of.keysOf(f.databases[j])
	if len(x.ids) != len(y.ids) {
		return len(x.ids) > len(y.ids)
	}
	return f.of.stored[x.ids[0]].time < f.of.stored[y.ids[0]].time
}

func (f *fullest) Pop() any {
	last := len(f.databases) - 1
	db := f.databases[last]
	f.databases = f.databases[:last]
	return db
}

// stats returns the number of stored keys, and the number of keys that were forgotten before their
// window ended.
func (b *Batches) stats() (remembered int, forgotten int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.stored), b.forgotten
}
