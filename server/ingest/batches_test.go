package ingest

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// again reports whether the response says that the request was already stored.
func again(w *httptest.ResponseRecorder) bool { return w.Header().Get("Idempotent-Replayed") == "true" }

const keyHeader = "Idempotency-Key"

// sender sends one batch with a key. Each call sends the same batch.
type sender struct {
	name, table string
	send        func(r *rig, key string) *httptest.ResponseRecorder
}

// senders returns requests of each format, with the key in each possible place.
func senders() []sender {
	text := []byte(`{"time":1700000000,"v":1}`)
	return []sender{
		{"arc", "default.t", func(r *rig, key string) *httptest.ResponseRecorder {
			return r.arc(dict{"m", "t", "columns", dict{"time", list{1700000000}, "v", list{1}}}, keyHeader, key)
		}},
		{"arc, parameter", "default.t", func(r *rig, key string) *httptest.ResponseRecorder {
			return r.do("POST", "/api/v1/write/msgpack?batch_id="+key, pack(r.t, dict{"m", "t", "t", 1700000000, "fields", dict{"v", 1}}))
		}},
		{"msgpack", "db.t", func(r *rig, key string) *httptest.ResponseRecorder {
			return r.v1(list{dict{"time", 1700000000, "v", 1}}, "", keyHeader, key)
		}},
		{"json, quoted", "db.t", func(r *rig, key string) *httptest.ResponseRecorder {
			return r.write("application/json", "", []byte(`[`+string(text)+`]`), keyHeader, `"`+key+`"`)
		}},
		{"ndjson, asynchronous", "db.t", func(r *rig, key string) *httptest.ResponseRecorder {
			return r.write("application/x-ndjson", "?durability=async&batch_id="+key, text)
		}},
		{"ndjson, compressed", "db.t", func(r *rig, key string) *httptest.ResponseRecorder {
			return r.write("application/x-ndjson", "", testkit.Gzipped(text), "Content-Encoding", "gzip", keyHeader, key)
		}},
		{"ndjson, partial", "db.t", func(r *rig, key string) *httptest.ResponseRecorder {
			return r.write("application/x-ndjson", "?partial=true", append(text, "\n{\n"...), keyHeader, key)
		}},
		{"schema", "db.t", func(r *rig, key string) *httptest.ResponseRecorder {
			body := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 1700000000), 1)
			return r.write(r.register("s", "{time i64, v i64}"), "", body, keyHeader, key)
		}},
	}
}

// A request that is repeated with its key gets the same response, and is stored once: at once,
// after landing and after a restart.
func TestKeyAgain(t *testing.T) {
	for _, s := range senders() {
		t.Run(s.name, func(t *testing.T) {
			r := newSchemaRig(t, Options{})
			first := s.send(r, "a-1")
			if first.Code != http.StatusNoContent && first.Code != http.StatusOK || again(first) {
				t.Fatalf("%d %s", first.Code, first.Body)
			}
			wantAgain := func(when string) {
				t.Helper()
				w := s.send(r, "a-1")
				if w.Code != first.Code || !again(w) {
					t.Errorf("%s: %d, again: %v, %s", when, w.Code, again(w), w.Body)
				}
				if w.Code == http.StatusOK {
					var got, want report
					json.Unmarshal(first.Body.Bytes(), &want)
					json.Unmarshal(w.Body.Bytes(), &got)
					if got.Rows != want.Rows || got.More+len(got.Rejected) != len(want.Rejected) || got.Rows == 0 || got.More == 0 {
						t.Errorf("%s: %s, first %s", when, w.Body, first.Body)
					}
				}
			}
			wantAgain("at once")
			rows := r.replayed()[s.table]
			wantAgain("after a restart")
			rows = append(rows, r.landed()[s.table]...)
			wantAgain("after landing")
			if w := s.send(r, "a-2"); again(w) {
				t.Errorf("another key: %s", w.Body)
			}
			if rows = append(rows, r.landed()[s.table]...); len(rows) != 2 {
				t.Errorf("%d rows for 2 keys: %v", len(rows), rows)
			}
			if st := r.h.Stats(); st.Again != 3 || st.Keys != 2 || st.Forgotten != 0 {
				t.Errorf("%d requests count as sent again, %d keys, %d forgotten", st.Again, st.Keys, st.Forgotten)
			}
		})
	}
}

// A key is bound to the table and the body of its request, and to the parameters that determine the
// meaning of the body. Each database has its own keys.
func TestKeyOfAnotherRequest(t *testing.T) {
	r := newRig(t, Options{})
	send := func(url, body string) *httptest.ResponseRecorder {
		return r.do("POST", url, []byte(body), "Content-Type", "application/x-ndjson", keyHeader, "k")
	}
	one := `{"time":1700000000,"v":1}`
	wantStatus(t, send("/v1/write/db/t", one), http.StatusNoContent)
	for _, c := range [][2]string{
		{"/v1/write/db/t", `{"time":1700000000,"v":2}`}, {"/v1/write/db/t", one + "\n"}, {"/v1/write/db/u", one}, {"/v1/write/db/t?time_unit=s", one},
	} {
		p := wantProblem(t, send(c[0], c[1]), http.StatusUnprocessableEntity, "nothing was stored: the key was used for another request: use a new key for each batch, and the same key only to send the same batch again")
		if p.Field != keyHeader {
			t.Errorf("field %q", p.Field)
		}
	}
	for encoding, body := range map[string][]byte{"gzip": testkit.Gzipped([]byte(one)), "zstd": testkit.Zstded([]byte(one))} {
		w := r.do("POST", "/v1/write/db/t", body, "Content-Type", "application/x-ndjson", "Content-Encoding", encoding, keyHeader, "k")
		if w.Code != http.StatusNoContent || !again(w) {
			t.Errorf("the same body, now %s: %d %s", encoding, w.Code, w.Body)
		}
	}
	if w := send("/v1/write/other/t", one); w.Code != http.StatusNoContent || again(w) {
		t.Errorf("another database: %d %s", w.Code, w.Body)
	}
	if w := send("/v1/write/db/t", one); !again(w) {
		t.Errorf("after the refusals: %d %s", w.Code, w.Body)
	}
	if rows := r.landed(); len(rows["db.t"]) != 1 || len(rows["other.t"]) != 1 || len(rows) != 2 {
		t.Errorf("landed %v", rows)
	}
}

// The digest of a request changes if anything changes that determines its rows. The test calls it
// directly, because few bodies are valid in two formats.
func TestDigest(t *testing.T) {
	of := func(change func(q *request)) digest {
		q := &request{record: wal.Record{DB: "db", Table: "t"}, codec: codec{format: rows.JSON, unit: rows.Seconds}}
		q.job.Body, q.schema = []byte("body"), &registry.Version{Notation: "{v u8}"}
		change(q)
		return q.digest()
	}
	seen := make(map[digest]string)
	for name, change := range map[string]func(q *request){
		"as it is": func(*request) {}, "table": func(q *request) { q.record.Table = "u" }, "format": func(q *request) { q.codec.format = rows.MessagePack },
		"unit": func(q *request) { q.codec.unit = rows.Milliseconds }, "schema": func(q *request) { q.schema = &registry.Version{Notation: "{w u8}"} },
		"no schema": func(q *request) { q.schema = nil }, "body": func(q *request) { q.job.Body = []byte("bodY") },
	} {
		d := of(change)
		if other, ok := seen[d]; ok {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[d] = name
	}
	if compressed := of(func(q *request) { q.body, q.codec.compression = &admission.Buffer{B: []byte("zip")}, admission.Gzip }); seen[compressed] != "as it is" {
		t.Error("the digest depends on the compression")
	}
}

// A rejected request does not use up its key, at whatever step it is rejected.
func TestKeyOfARefusedRequest(t *testing.T) {
	r := newRig(t, Options{})
	send := func(query, body string) *httptest.ResponseRecorder {
		return r.write("application/x-ndjson", query, []byte(body), keyHeader, "k")
	}
	wantStatus(t, r.write("application/x-ndjson", "", []byte(`{"time":1700000000,"v":1}`)), http.StatusNoContent)
	wantStatus(t, send("", `{"time":1700000000,`), http.StatusBadRequest)                                  // rejected by the decoder
	wantStatus(t, send("", `{"time":1700000000,"v":"text"}`), http.StatusBadRequest)                       // rejected by the catalog
	wantStatus(t, send("?partial=true", `{"time":1700000000,"v":"text"}`), http.StatusOK)                  // no valid row
	wantStatus(t, r.write("application/x-ndjson", "", []byte("{}"), keyHeader, ""), http.StatusBadRequest) // rejected because of its key
	if w := send("", `{"time":1700000000,"v":2}`); w.Code != http.StatusNoContent || again(w) {
		t.Errorf("then good: %d %s", w.Code, w.Body)
	}
	if rows := r.landed()["db.t"]; len(rows) != 2 {
		t.Errorf("landed %v", rows)
	}
}

// An asynchronous request that the log could not write does not use up its key. If the sender
// repeats the request, it does not have to wait, and the rows are stored.
func TestKeyOfALostRequest(t *testing.T) {
	var full atomic.Bool
	d := faulty.New(1, faulty.Options{Fail: func(c faulty.Call) error {
		if full.Load() && c.Name == "WriteVec" && strings.HasPrefix(c.Path, "/data/wal/") {
			return syscall.ENOSPC
		}
		return nil
	}})
	if err := disk.MkdirAll(d, "/data"); err != nil {
		t.Fatal(err)
	}
	r := newDiskRig(t, d)
	send := func(query string) *httptest.ResponseRecorder {
		return r.v1(list{dict{"time", t0, "id", 1, "v", 1}}, query, keyHeader, "k")
	}
	full.Store(true)
	wantStatus(t, send("?durability=async"), http.StatusNoContent)
	testkit.Eventually(t, "the rows are lost", func() bool { return r.store.Log().Lost > 0 })
	full.Store(false)
	var w *httptest.ResponseRecorder
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		if w = send(""); w.Code != http.StatusServiceUnavailable || time.Now().After(deadline) { // 503 until the log notices the free space
			break
		}
	}
	if w.Code != http.StatusNoContent || again(w) {
		t.Errorf("sent again: %d %s, as if it had been stored: %v", w.Code, w.Body, again(w))
	}
	r.flush()
	if cells := cellsOf(t, d); len(cells[1]) != 1 {
		t.Errorf("the row is there %d times", len(cells[1]))
	}
}

// A key remains used after its table is removed.
func TestKeyOfARemovedTable(t *testing.T) {
	r := newFileRig(t, t.TempDir())
	send := func(key string) *httptest.ResponseRecorder {
		return r.v1(list{dict{"time", t0, "v", 1}}, "", keyHeader, key)
	}
	wantStatus(t, send("a"), http.StatusNoContent)
	wantStatus(t, r.do("DELETE", "/v1/tables/db/t?files=delete", nil), http.StatusNoContent)
	if w := send("a"); w.Code != http.StatusNoContent || !again(w) || r.types() != "" {
		t.Errorf("%d %s, again: %v, columns %q", w.Code, w.Body, again(w), r.types())
	}
	if w := send("b"); w.Code != http.StatusNoContent || again(w) || r.types() == "" {
		t.Errorf("a new key: %d %s, again: %v, columns %q", w.Code, w.Body, again(w), r.types())
	}
}

// While one request holds a key, other requests with this key wait. If the first is not stored, one
// of the others is stored, and the rest are not stored again. A request stops waiting when its
// client disconnects.
func TestKeyIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := faulty.New(1, faulty.Options{Delay: func(faulty.Call) time.Duration { return time.Millisecond }}) // so that all requests arrive while one is being stored
		if err := disk.MkdirAll(d, "/data"); err != nil {
			t.Fatal(err)
		}
		r := newDiskRig(t, d)
		send := func(ctx context.Context, key string) *httptest.ResponseRecorder {
			q := httptest.NewRequestWithContext(ctx, "POST", "/v1/write/db/t", strings.NewReader(`{"time":1700000000,"id":1,"v":1}`))
			q.Header.Set("Content-Type", "application/x-ndjson")
			q.Header.Set(keyHeader, key)
			w := httptest.NewRecorder()
			r.h.ServeHTTP(w, q)
			return w
		}
		id := idOf("db", "k")
		if one, err := r.h.batches.claim(t.Context(), "db", id, digest{}); one != nil || err != nil {
			t.Fatal(one, err)
		}
		patient, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		var answers sync.WaitGroup
		var gone, stored, repeated atomic.Int64
		leaving, leave := context.WithCancel(patient)
		answers.Go(func() {
			if w := send(leaving, "k"); w.Code != http.StatusRequestTimeout {
				t.Errorf("a client that has gone: %d %s", w.Code, w.Body)
			}
			gone.Add(1)
		})
		for range 8 {
			answers.Go(func() {
				switch w := send(patient, "k"); {
				case w.Code != http.StatusNoContent:
					t.Errorf("%d %s", w.Code, w.Body)
				case again(w):
					repeated.Add(1)
				default:
					stored.Add(1)
				}
			})
		}
		wantStatus(t, send(patient, "another"), http.StatusNoContent) // does not wait for the held key
		synctest.Wait()
		leave()
		synctest.Wait()
		if gone.Load() != 1 || stored.Load()+repeated.Load() > 0 {
			t.Errorf("while the key is held, and a client has gone, %d, %d and %d requests are answered", gone.Load(), stored.Load(), repeated.Load())
		}
		r.h.batches.free(id)
		answers.Wait()
		if stored.Load() != 1 || repeated.Load() != 7 {
			t.Errorf("%d requests were stored, and %d were not stored again", stored.Load(), repeated.Load())
		}
		r.flush()
		if cells := cellsOf(t, d); len(cells[1]) != 2 {
			t.Errorf("the row is there %d times", len(cells[1]))
		}
	})
}

func TestKeysThatAreNone(t *testing.T) {
	r := newRig(t, Options{})
	body := []byte(`{"time":1700000000,"v":1}`)
	for _, c := range []struct {
		query string
		keys  []string
	}{
		{"?batch_id=", nil}, {"?batch_id=a%20b", nil}, {"?batch_id=%C3%A9", nil}, {"?batch_id=" + strings.Repeat("x", maxKey+1), nil},
		{"", []string{""}}, {"", []string{`""`}}, {"", []string{"a b"}}, {"", []string{"a\x7f"}}, {"", []string{strings.Repeat("x", maxKey+1)}},
		{"", []string{"a", "a"}}, {"?batch_id=a", []string{"a"}},
	} {
		q := httptest.NewRequest("POST", "/v1/write/db/t"+c.query, bytes.NewReader(body))
		q.Header.Set("Content-Type", "application/x-ndjson")
		q.Header[keyHeader] = c.keys
		w := httptest.NewRecorder()
		if r.h.ServeHTTP(w, q); w.Code != http.StatusBadRequest {
			t.Errorf("%q %q: %d %s", c.query, c.keys, w.Code, w.Body)
		}
	}
	wantStatus(t, r.write("application/x-ndjson", "", body, keyHeader, strings.Repeat("x", maxKey)), http.StatusNoContent)
}

// Keys remain known after the log releases the segments of their requests, even across several
// restarts.
func TestKeysOutliveTheLog(t *testing.T) {
	small := func(o *table.Options) { o.WAL.SegmentBytes = 1 << 15 }
	r := newRig(t, Options{}, small)
	send := func(i int) *httptest.ResponseRecorder {
		return r.write("application/x-ndjson", "", fmt.Appendf(nil, `{"time":1700000000,"v":%d,"s":%q}`, i, strings.Repeat("x", 1000)), keyHeader, fmt.Sprint("k", i))
	}
	const keyed = 20
	for i := range keyed {
		wantStatus(t, send(i), http.StatusNoContent)
	}
	rows := len(r.landed()["db.t"])
	for life := range 3 {
		for sent := 0; sent < 300; sent++ {
			wantStatus(t, r.write("application/x-ndjson", "", fmt.Appendf(nil, `{"time":1700000000,"s":%q}`, strings.Repeat("y", 1000))), http.StatusNoContent)
			if sent%50 == 0 {
				r.landed()
			}
		}
		r.landed()
		if log := r.store.Log(); log.Segments > 3 {
			t.Fatalf("the log has %d segments", log.Segments)
		}
		if err := r.store.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		r.h.batches = NewBatches(time.Hour)
		r.open(small)
		if n, forgotten := r.h.batches.stats(); n != keyed || forgotten != 0 {
			t.Fatalf("life %d: %d keys are remembered, and %d were forgotten", life, n, forgotten)
		}
	}
	for i := range keyed {
		if w := send(i); w.Code != http.StatusNoContent || !again(w) {
			t.Fatalf("%d: %d %s", i, w.Code, w.Body)
		}
	}
	if rows += len(r.landed()["db.t"]); rows != keyed {
		t.Errorf("%d rows of %d keys", rows, keyed)
	}
}

// Keys are forgotten when their window ends, and are no longer carried to the end of the log.
func TestKeysExpire(t *testing.T) {
	b := NewBatches(time.Hour)
	now := time.Now()
	for i := range 4 {
		b.store("db", idOf("db", fmt.Sprint(i)), batch{seq: uint64(i + 1), time: now.Add(-time.Duration(i) * 40 * time.Minute).UnixMicro()})
	}
	b.store("db", idOf("db", "old"), batch{seq: 5, time: now.Add(-2 * time.Hour).UnixMicro()})
	b.store("other", idOf("other", "old"), batch{seq: 6, time: now.Add(-2 * time.Hour).UnixMicro()})
	if one, err := b.claim(context.Background(), "other", idOf("other", "old"), digest{1}); one != nil || err != nil {
		t.Errorf("an old key: %v, %v", one, err)
	}
	if one, _ := b.claim(context.Background(), "db", idOf("db", "1"), digest{}); one == nil {
		t.Error("a key within the window is forgotten")
	}
	payload, done := b.Carry(100)
	done(7)
	c := NewBatches(time.Hour)
	if err := c.Recall(&wal.Record{Seq: 7, Payload: payload}, true); err != nil {
		t.Fatal(err)
	}
	if n, _ := c.stats(); n != 2 {
		t.Errorf("%d keys were carried, want those of the last hour", n)
	}
	if payload, _ := b.Carry(6); payload != nil {
		t.Error("what was carried is carried again")
	}
	if payload, _ := b.Carry(7); payload == nil {
		t.Error("what was carried is not carried on")
	}
}

// Carried keys follow newer keys in the log. Nevertheless, the oldest keys are forgotten first.
func TestKeysAreRecalledInOrder(t *testing.T) {
	now := time.Now().UnixMicro()
	old, newer := NewBatches(time.Hour), NewBatches(time.Hour)
	for i := range 100 {
		old.store("db", idOf("db", fmt.Sprint(i)), batch{seq: 1, time: now + int64(i)})
	}
	payload, _ := old.Carry(1)
	one := batch{}
	for i := 100; i < 200; i++ {
		r := &wal.Record{Seq: uint64(i), Codec: codec{format: rows.JSON, keyed: true}.bits(), DB: "db", Time: now + int64(i)}
		r.Payload = appendKey([]byte("{}"), idOf("db", fmt.Sprint(i)), &one)
		if err := newer.Recall(r, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := newer.Recall(&wal.Record{Seq: 300, Payload: payload}, true); err != nil {
		t.Fatal(err)
	}
	newer.fit(batchShare * batchSize * 100)
	for i := range 200 {
		if known := newer.stored[idOf("db", fmt.Sprint(i))] != nil; known && i < 100 || !known && i >= 110 {
			t.Errorf("key %d of 200, of which the oldest are forgotten, is remembered: %v", i, known)
		}
	}
}

// A database with many keys does not make other databases lose keys.
func TestKeysOfManyDatabases(t *testing.T) {
	b := NewBatches(time.Hour)
	b.fit(batchShare * batchSize * 100)
	now := time.Now().UnixMicro()
	store := func(db string, i int) { b.store(db, idOf(db, fmt.Sprint(i)), batch{time: now}) }
	for i := range 30 {
		store("quiet", i)
	}
	for i := range 10_000 {
		store("loud", i)
	}
	for i := range 30 {
		if b.stored[idOf("quiet", fmt.Sprint(i))] == nil {
			t.Fatal("a quiet database has lost a key")
		}
	}
	if b.stored[idOf("loud", "9999")] == nil || b.stored[idOf("loud", "0")] != nil {
		t.Error("the newest keys are not those that are kept")
	}
	if n, forgotten := b.stats(); n > 100 || forgotten != int64(10_030-n) {
		t.Errorf("%d keys, %d forgotten", n, forgotten)
	}
	b.fit(0)
	if n, _ := b.stats(); n != 1 {
		t.Errorf("%d keys in the smallest log", n)
	}
}

// If all databases have the same number of keys, the oldest keys are forgotten, and the newest key
// is kept. A 64th of all keys is forgotten at once, so that the databases need not be compared for
// each new key.
func TestKeysOfDatabasesWithOneEach(t *testing.T) {
	const most = 6400
	b := NewBatches(time.Hour)
	b.fit(batchShare * batchSize * most)
	now := time.Now().UnixMicro()
	for i := range most + 1 {
		db := fmt.Sprint("db", i)
		b.store(db, idOf(db, "k"), batch{time: now + int64(i)})
	}
	remembered := func(i int) bool { return b.stored[idOf(fmt.Sprint("db", i), "k")] != nil }
	n, forgotten := b.stats()
	if n != most-most/64 || forgotten != int64(most+1-n) || len(b.databases) != n {
		t.Errorf("%d keys of %d databases, %d forgotten", n, len(b.databases), forgotten)
	}
	for i := range most + 1 {
		if remembered(i) != (i > most-n) {
			t.Fatalf("the key of database %d of %d is remembered: %v", i, most+1, remembered(i))
		}
	}
}

// twice returns the payload of a carried record in which two databases have the same key.
func twice() []byte {
	one := batch{time: time.Now().UnixMicro(), rows: 1}
	payload := []byte{carriedVersion}
	for _, db := range []string{"a", "b"} {
		payload = append(append(append(payload, 1), db...), 1)
		payload = appendBatch(binary.LittleEndian.AppendUint64(payload, uint64(one.time)), idOf("a", "k"), &one)
	}
	return payload
}

// A log with one key in two databases is rejected, whether one carried record or two requests
// contain the key.
func TestRecalledInTwoDatabases(t *testing.T) {
	b := NewBatches(time.Hour)
	if err := b.Recall(&wal.Record{Seq: 1, Payload: twice()}, true); !errors.Is(err, errKeys) {
		t.Errorf("carried: %v", err)
	}
	b = NewBatches(time.Hour)
	id, one := idOf("a", "k"), batch{time: time.Now().UnixMicro()}
	if err := b.recall("a", id, one); err != nil {
		t.Fatal(err)
	}
	if err := b.recall("a", id, one); err != nil { // the same record may be read twice
		t.Fatal(err)
	}
	if err := b.recall("b", id, one); !errors.Is(err, errKeys) {
		t.Errorf("with a request: %v", err)
	}
}

// Recall reads a carried record, or rejects it with an error. It does not panic, and a rejected
// record leaves at most one key for each 40 bytes.
func FuzzCarried(f *testing.F) {
	b := NewBatches(time.Hour)
	for i := range 3 {
		b.store("db", idOf("db", fmt.Sprint(i)), batch{seq: 1, time: time.Now().UnixMicro(), rows: i, rejected: 1 << i})
	}
	payload, _ := b.Carry(1)
	f.Add(payload)
	f.Add(twice())
	f.Add(append(payload[:5:5], 0xff, 0xff, 0xff, 0xff, 0xff, 0x01))
	f.Fuzz(func(t *testing.T, payload []byte) {
		b := NewBatches(time.Hour)
		err := b.Recall(&wal.Record{Seq: 1, Payload: payload}, true)
		if n, _ := b.stats(); err != nil && n > len(payload)/40 {
			t.Errorf("%d keys of %d bytes", n, len(payload))
		}
	})
}
