package ingest

import (
	"encoding/binary"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/wal"
)

// This file reads idempotency keys from requests, and stores them in the log.

const maxKey = 255 // maximum length of a key in bytes

// keyOf returns the key of a request, from the parameter `batch_id` or the header Idempotency-Key.
// It returns an empty string if the request contains neither.
func keyOf(r *http.Request, param string, given bool) (string, error) {
	headers := r.Header.Values("Idempotency-Key")
	switch {
	case len(headers) > 1:
		return "", refusal.Errorf("the request has %d Idempotency-Key headers: send one", len(headers)).In("Idempotency-Key")
	case len(headers) == 1 && given:
		return "", refusal.Errorf("the request has both Idempotency-Key and batch_id: send one of them").In("batch_id")
	case given:
		return param, checkKey("batch_id", param)
	case len(headers) == 1:
		key := headers[0]
		if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' { // structured fields of HTTP quote a string
			key = key[1 : n-1]
		}
		return key, checkKey("Idempotency-Key", key)
	}
	return "", nil
}

func checkKey(field, key string) error {
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return refusal.Errorf("%s: a key has 1 to %d ASCII characters without spaces, for example a UUID", field, maxKey).In(field)
	}
	return nil
}

// If a request has a key, the key is at the end of the record's payload, in this form:
//
//	┌────────┬────────────┬───────────────┬───────────────────┬─────────────────────┐
//	│ id: 16 │ digest: 16 │ uvarint: rows │ uvarint: rejected │ u32: length of that │
//	└────────┴────────────┴───────────────┴───────────────────┴─────────────────────┘
//
// A record that the method `Carry` has made has the following payload. Its numbers of fixed length
// are also little-endian:
//
//	┌────────────┬──────────────────┬────┬─────────────────┬─────────────┬ … ┬ … ┐
//	│ u8 version │ uvarint: length  │ db │ uvarint: n keys │ i64: time   │   │   │
//	│            │                  │    │                 │ key, as     │   │   │
//	│            │                  │    │                 │ above       │   │   │
//	└────────────┴──────────────────┴────┴─────────────────┴─────────────┴ … ┴ … ┘
//	              └──────────────────── of each database ─────────────────────┘
const carriedVersion = 1

const batchSize = 2*16 + 2*binary.MaxVarintLen32 // maximum size of a key

var errKeys = errors.New("ingest: the record contains damaged idempotency keys")

// appendBatch appends a key.
func appendBatch(b []byte, id batchID, one *batch) []byte {
	b = append(append(b, id[:]...), one.digest[:]...)
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(one.rows)), uint64(one.rejected))
}

// cutBatch reads the first key of b.
func cutBatch(b []byte) (id batchID, one batch, rest []byte, ok bool) {
	if len(b) < 32 {
		return id, one, nil, false
	}
	id, one.digest, b = batchID(b[:16]), digest(b[16:32]), b[32:]
	for _, n := range []*int{&one.rows, &one.rejected} {
		v, k := binary.Uvarint(b)
		if k <= 0 || v > math.MaxInt32 {
			return id, one, nil, false
		}
		*n, b = int(v), b[k:]
	}
	return id, one, b, true
}

// appendKey appends a key to the payload of a record.
func appendKey(payload []byte, id batchID, one *batch) []byte {
	body := len(payload)
	payload = appendBatch(payload, id, one)
	return binary.LittleEndian.AppendUint32(payload, uint32(len(payload)-body))
}

// cutKey splits a payload into the body and the key.
func cutKey(payload []byte) (body []byte, id batchID, one batch, err error) {
	body, tail, ok := cutCounted(payload)
	if ok {
		id, one, tail, ok = cutBatch(tail)
	}
	if !ok || len(tail) > 0 {
		return nil, id, one, errKeys
	}
	return body, id, one, nil
}

// Recall implements table.Carrier.
func (b *Batches) Recall(r *wal.Record, carried bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if carried {
		return b.recallCarried(r)
	}
	c, err := codecOf(r.Codec)
	if err != nil || !c.keyed {
		return nil // an unreadable record is reported when it is decoded
	}
	_, id, one, err := cutKey(r.Payload)
	if err == nil {
		one.seq, one.time = r.Seq, r.Time
		err = b.recall(r.DB, id, one)
	}
	return err
}

func (b *Batches) recallCarried(r *wal.Record) error {
	if len(r.Payload) == 0 || r.Payload[0] != carriedVersion {
		return errKeys
	}
	for rest := r.Payload[1:]; len(rest) > 0; {
		db, next, ok := series.CutBytes(rest)
		n, k := binary.Uvarint(next)
		if !ok || k <= 0 {
			return errKeys
		}
		rest = next[k:]
		for range n {
			if len(rest) < 8 {
				return errKeys
			}
			at := int64(binary.LittleEndian.Uint64(rest))
			id, one, next, ok := cutBatch(rest[8:])
			if !ok {
				return errKeys
			}
			one.seq, one.time, rest = r.Seq, at, next
			if err := b.recall(string(db), id, one); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Batches) recall(db string, id batchID, one batch) error {
	if b.expired(&one, time.Now()) {
		return nil
	}
	if b.stored[id] != nil && b.databases[db] == nil {
		// The key belongs to another database than db. The identifier of a key is computed from the
		// name of its database, so the service did not write this record. If db already has keys,
		// this error is not detected. That is harmless: the key still belongs to the first
		// database.
		return errKeys
	}
	b.add(db, id, one)
	b.databases[db].recalled = true
	b.shrink()
	return nil
}

// Carry implements table.Carrier.
func (b *Batches) Carry(to uint64) (payload []byte, done func(seq uint64)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for db := range b.databases {
		b.expire(db, now)
	}
	var carried []batchID
	for db, k := range b.databases {
		first := len(carried)
		for _, id := range k.ids {
			if b.stored[id].seq <= to {
				carried = append(carried, id)
			}
		}
		n := len(carried) - first
		if n == 0 {
			continue
		}
		if payload == nil {
			payload = []byte{carriedVersion}
		}
		payload = append(binary.AppendUvarint(payload, uint64(len(db))), db...)
		payload = binary.AppendUvarint(payload, uint64(n))
		for _, id := range carried[first:] {
			one := b.stored[id]
			payload = binary.LittleEndian.AppendUint64(payload, uint64(one.time))
			payload = appendBatch(payload, id, one)
		}
	}
	return payload, func(seq uint64) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, id := range carried {
			if one := b.stored[id]; one != nil {
				one.seq = max(one.seq, seq)
			}
		}
	}
}
