package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"
)

// request is a request, with what its client knows about it.
type request struct {
	kind    string // its format, or "refused: " and the reason
	clients string // the host of the client
	path    string
	header  []string
	body    []byte
	ids     []int64 // of the rows, in the order of the body, and of the samples
	key     string
	async   bool
	partial bool // some rows are invalid, and the response lists them
	partly  bool // Remote Write: the response is 400, and the valid series are accepted
	way     way  // way of its series
	wrong   bool // invalid, must be rejected

	life    int
	status  int       // of the last response; 0: none
	begun   time.Time // when the request was first sent
	ended   time.Time // when the last response arrived
	fate    fate
	queued  bool // for the disk; the client does not wait for it
	altered bool // one of its tables was altered while the request was in progress

	rivals []*request // other requests with its key; at most one of all these requests is stored
	lost   bool       // the service may have forgotten the key
}

// response is the response that a client got.
type response struct {
	status int // 0: none
	text   string
	again  bool // the request was already stored
}

// client is a client that sends requests.
type client struct {
	*rand.Rand
	m          *model
	host       string
	http       *http.Client
	registered bool // the schema is registered
}

func (m *model) client(host string) *client {
	transport := &http.Transport{DialContext: m.net.From(host)}
	return &client{Rand: rand.New(rand.NewPCG(m.Rand.Uint64(), 0)), m: m, host: host, http: &http.Client{Transport: transport, Timeout: 10 * time.Minute}}
}

// do sends a request, and returns the status and the text of the response. Without a response, it
// returns 0 and the error.
func (c *client) do(method, path string, body []byte, header ...string) (status int, text string) {
	a := c.ask(context.Background(), method, path, body, header...)
	return a.status, a.text
}

func (c *client) ask(ctx context.Context, method, path string, body []byte, header ...string) response {
	req, err := http.NewRequestWithContext(ctx, method, c.m.service.URL()+path, bytes.NewReader(body))
	if err != nil {
		c.m.Fatal("%v", err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return response{text: err.Error()}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil { // an incomplete response counts as none
		return response{text: err.Error()}
	}
	return response{resp.StatusCode, string(text), resp.Header.Get("Idempotent-Replayed") == "true"}
}

// work sends all kinds of requests.
func (c *client) work() {
	defer c.http.CloseIdleConnections()
	for range c.IntN(40) {
		time.Sleep(time.Duration(c.Int64N(int64(500 * time.Millisecond))))
		if c.m.isOver() {
			return
		}
		switch n := c.IntN(20); {
		case n < 3:
			c.deliver(c.series())
		case n < 6:
			c.send(c.refused())
		case n < 9:
			c.repeat()
		case n == 9:
			c.atOnce()
		case n == 10:
			if status, _ := c.do("POST", "/-/flush", nil); status == http.StatusNoContent {
				c.m.Count("flushes", 1)
			}
		default:
			c.send(c.rows(formats[c.IntN(len(formats))]))
		}
	}
}

// newItem returns an item with a new id.
func (m *model) newItem(table string) (int64, *item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids++
	it := &item{table: table, time: time.Now().Add(-time.Duration(m.ids%3) * time.Hour).UnixMicro()}
	m.items[m.ids] = it
	return m.ids, it
}

func (m *model) requestOf(id int64) *request {
	for _, q := range m.requests {
		if slices.Contains(q.ids, id) {
			return q
		}
	}
	return &request{}
}

func (m *model) lifeOf(id int64) int { return m.requestOf(id).life }

var formats = []string{"json rows", "json columns", "ndjson", "msgpack rows", "msgpack columns", "schema", "arc", "partial"}

// row returns the cells of a row. The values of v, and of the columns late0, late1, …, are ints at
// first and floats later.
func (m *model) row(id int64, it *item) map[string]any {
	row := map[string]any{"time": it.time, "id": id, "v": any(id), "host": host(id)}
	if id%3 == 0 {
		row["v"] = float64(id) + 0.5
	}
	name, late := late(id)
	if row[name] = late; late == float64(int64(late)) {
		row[name] = int64(late)
	}
	if id%7 == 0 {
		row["extra"] = true
	}
	if id%4 == 0 {
		row[fmt.Sprint("alone", id)] = true
	}
	if it.bad {
		row["id"] = "wrong"
		row[fmt.Sprint("only", id)] = true
	}
	return row
}

func host(id int64) string { return strings.Repeat("h", int(id%40)) }

func late(id int64) (column string, value float64) {
	if value = float64(id); id%60 >= 30 {
		value += 0.5
	}
	return fmt.Sprint("late", id/60), value
}

// columnsOf converts rows into columns.
func columnsOf(rows []map[string]any) map[string][]any {
	all := make(map[string][]any)
	for i, row := range rows {
		for name, v := range row {
			if all[name] == nil {
				all[name] = make([]any, len(rows))
			}
			all[name][i] = v
		}
	}
	return all
}

// rows returns a request with rows in a format. Some requests have a key, and some do not wait for
// the disk.
func (c *client) rows(format string) *request {
	q := c.batch(format)
	switch {
	case c.IntN(3) == 0 && c.m.keys() < c.m.keyLimit():
		c.giveKey(q)
	case c.IntN(6) == 0 && !q.partial:
		q.async = true
	}
	return q
}

// batch returns a request with rows in a format, without a key.
func (c *client) batch(format string) *request {
	m := c.m
	q := &request{kind: format, clients: c.host}
	batch := func(table string) (rows []map[string]any) {
		for i := range 1 + c.IntN(12) {
			id, it := m.newItem("db/" + table)
			it.sparse = format == "schema"
			it.bad = format == "partial" && i > 0 && c.IntN(3) == 0
			q.ids = append(q.ids, id)
			rows = append(rows, m.row(id, it))
		}
		return rows
	}
	table := fmt.Sprint("t", c.IntN(3))
	query := ""
	kind := "application/json"
	lines := func(rows []map[string]any) (b []byte) {
		for _, row := range rows {
			b = append(append(b, marshal(row)...), '\n')
		}
		return b
	}
	switch format {
	case "json rows":
		q.body = marshal(batch(table))
	case "json columns":
		q.body = marshal(columnsOf(batch(table)))
	case "ndjson":
		kind, q.body = "application/x-ndjson", lines(batch(table))
	case "msgpack rows":
		kind, q.body = "application/msgpack", pack(m.T, batch(table))
	case "msgpack columns":
		kind, q.body = "application/msgpack", pack(m.T, columnsOf(batch(table)))
	case "schema":
		if !c.registered {
			definition := marshal(coded.Shape())
			status, _ := c.do("PUT", "/v1/schemas/ids", definition, "Content-Type", "application/json")
			c.registered = status/100 == 2
		}
		var all columns
		for _, row := range batch(table) {
			all.Times, all.IDs = append(all.Times, row["time"].(int64)), append(all.IDs, row["id"].(int64))
		}
		var err error
		if q.body, err = coded.Append(nil, &all); err != nil {
			m.Fatal("%v", err)
		}
		kind = fmt.Sprintf("application/x-slipstream-schema; schema=ids; fingerprint=%x", coded.NamedFingerprint())
	case "arc":
		var parts []any
		for _, i := range c.Perm(3)[:1+c.IntN(3)] {
			name := fmt.Sprint("t", i)
			parts = append(parts, map[string]any{"m": name, "columns": columnsOf(batch(name))})
		}
		q.path, kind, q.body = "/api/v1/write/msgpack", "application/msgpack", pack(m.T, map[string]any{"batch": parts})
	case "partial":
		q.partial, query = true, "?partial=true"
		rows := batch(table)
		switch c.IntN(3) {
		case 0:
			q.body = marshal(rows)
		case 1:
			kind, q.body = "application/x-ndjson", lines(rows)
		case 2:
			kind, q.body = "application/msgpack", pack(m.T, rows)
		}
	}
	if q.path == "" {
		q.path = "/v1/write/db/" + table + query
	}
	q.header = []string{"Content-Type", kind, "X-Arc-Database", "db"}
	return q
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// refused returns a random request that must be rejected.
func (c *client) refused() *request {
	kinds := []string{
		"a string for an int", "half a body", "unknown parameter", "poisoned table", "unknown type", "second table of a batch", "two keys", "too large", "wrong line", "unknown schema",
		"series without a name",
	}
	return c.wrong(kinds[c.IntN(len(kinds))])
}

// wrong returns a request that must be rejected for this reason. Its rows contain columns that
// occur in no other request.
func (c *client) wrong(kind string) *request {
	m := c.m
	rows := func(n int) (ids []int64, rows []map[string]any) {
		for range n {
			id, it := m.newItem("db/t0")
			row := m.row(id, it)
			row[fmt.Sprint("only", id)] = true
			ids, rows = append(ids, id), append(rows, row)
		}
		return ids, rows
	}
	ids, list := rows(3)
	q := &request{path: "/v1/write/db/t0", header: []string{"Content-Type", "application/json", "X-Arc-Database", "db"}, ids: ids, wrong: true, clients: c.host}
	switch kind {
	case "a string for an int":
		list[2]["id"] = "wrong"
		q.body = marshal(list)
	case "half a body":
		q.body = marshal(list)
		q.body = q.body[:len(q.body)-1-c.IntN(len(q.body)/2)]
	case "unknown parameter":
		q.path += "?durabilty=async"
		q.body = marshal(list)
	case "poisoned table":
		q.path = "/v1/write/db/" + []string{strings.Repeat("n", 200), "t%01", "%FF"}[c.IntN(3)]
		q.body = marshal(list)
	case "unknown type":
		q.header[1], q.body = "text/plain", marshal(list)
	case "second table of a batch":
		bad := list[2]
		bad["id"] = "wrong"
		parts := []any{
			map[string]any{"m": "t0", "columns": columnsOf(list[:1])}, map[string]any{"m": fmt.Sprint("never", ids[0]), "columns": columnsOf(list[1:2])},
			map[string]any{"m": "t1", "columns": columnsOf([]map[string]any{{"time": list[1]["time"], "id": int64(0)}, bad})},
		}
		q.path, q.header[1], q.body = "/api/v1/write/msgpack", "application/msgpack", pack(m.T, map[string]any{"batch": parts})
	case "two keys":
		q.path += "?batch_id=a"
		q.header = append(q.header, "Idempotency-Key", "b")
		q.body = marshal(list)
	case "too large":
		list[2]["host"] = strings.Repeat("x", 70<<10)
		q.body = marshal(list)
	case "wrong line":
		q.header[1] = "application/x-ndjson"
		q.body = fmt.Appendf(nil, "%s\n%s}\n", marshal(list[0]), marshal(list[1]))
	case "unknown schema":
		q.header[1] = "application/x-slipstream-schema; schema=ids; fingerprint=0123456789abcdef"
		q.body = []byte("body")
	case "series without a name":
		q = c.nameless()
		q.ids = append(q.ids, ids...)
	}
	q.kind = "refused: " + kind
	return q
}

// send sends a request, and records the fates of its items.
func (c *client) send(q *request) (status int) {
	a := &attempt{q: q, async: q.async}
	c.together(a)
	return a.status
}

// sent records that a request is in progress.
func (m *model) sent(q *request) {
	if q.begun.IsZero() {
		q.begun, q.life = time.Now(), m.lives
		m.requests = append(m.requests, q)
	}
	q.ended = time.Now().Add(24 * time.Hour) // unknown until the response
	m.flying[q] = false
}

// back records that a request is no longer in progress.
func (m *model) back(q *request) {
	q.ended = time.Now()
	q.altered = q.altered || m.flying[q]
	delete(m.flying, q)
}

// note records what a response says about a request and its items. first means that the request was
// never sent before. async means that a 204 only says that the rows are queued for the disk.
func (m *model) note(q *request, a response, first, async bool) {
	status, text := a.status, a.text
	before := q.fate
	q.status = status
	if !first && before == acknowledged && status/100 != 2 && status/100 != 5 && status != 429 && status != 0 {
		m.T.Errorf("%s: the same request again was answered with %d: %s", q.kind, status, text)
	}
	if a.again && q.key == "" {
		m.T.Errorf("%s: a request without a key was answered as if it had been stored before", q.kind)
	}
	if q.way != toFiles && !q.way.queues() && !q.wrong {
		m.answered(q, text)
	}
	fates := make(map[int64]fate)
	switch {
	case status == http.StatusNoContent && async && !a.again:
		if q.queued = !q.wrong && before != acknowledged; q.queued {
			q.fate = unknown
		}
	case q.partly && status == http.StatusBadRequest, status == http.StatusNoContent:
		q.fate, q.queued = acknowledged, false
	case status == http.StatusOK && q.partial:
		m.rejected(q, text, fates)
		q.fate = acknowledged
	case status == 0 || status == http.StatusInternalServerError || strings.Contains(text, "may or may not be stored"),
		q.way != toFiles && (status/100 == 5 || status == http.StatusTooManyRequests): // some tenants' samples may have been accepted
		if q.fate = max(before, unknown); before == refused {
			q.fate = unknown
		}
	case status/100 == 4 || status == http.StatusServiceUnavailable:
		if before == unknown && first || before == refused {
			q.fate = refused
		}
	default:
		m.T.Errorf("%s: answered with %d: %s", q.kind, status, text)
	}
	if q.wrong && (status/100 == 2 || status == http.StatusInternalServerError) {
		m.T.Errorf("%s: answered with %d: %s", q.kind, status, text)
	}
	if !q.wrong && first && (status == 400 || status == 409 && q.kind != "schema" || status == 422 && q.key == "" || status == 415) && !q.partly {
		m.T.Errorf("%s: answered with %d: %s", q.kind, status, text)
	}
	if q.partial && status == http.StatusNoContent && slices.ContainsFunc(q.ids, func(id int64) bool { return m.items[id].bad }) {
		m.T.Errorf("%s: rows are wrong, and the answer is 204", q.kind)
	}
	for _, id := range q.ids {
		it := m.items[id]
		f, told := fates[id]
		switch {
		case it.bad && !told, it.fate == dropped, it.fate == acknowledged:
			if it.bad {
				it.fate = refused // an invalid row is never stored
			}
			continue
		case told:
		case q.altered && q.fate == acknowledged:
			f = unknown
		default:
			f = q.fate
		}
		it.twice = it.twice || q.fate == acknowledged && before == unknown && !first && q.kind == "remote write" // Remote Write has no keys
		it.fate = f
	}
	switch {
	case q.queued:
	case q.fate == acknowledged:
		m.Count(q.kind+": acknowledged", 1)
	case q.fate == refused:
		m.Count("rows refused", len(q.ids))
		if !q.wrong {
			m.Count("rows that the service had no room for", len(q.ids))
		}
		if q.wrong {
			m.Count(q.kind, 1)
		}
	default:
		m.Count("rows of unknown fate", len(q.ids))
	}
}

// rejected records the rejected rows of a partial request. It checks that these are exactly the
// invalid rows.
func (m *model) rejected(q *request, text string, fates map[int64]fate) {
	var answer struct {
		Rows     int
		Rejected []struct{ Row int }
		More     int `json:"more_rejected"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		m.T.Errorf("%v: %s", err, text)
	}
	bad := 0
	for _, id := range q.ids {
		switch {
		case m.items[id].bad:
			fates[id] = refused
			bad++
		case q.altered:
			fates[id] = unknown
		default:
			fates[id] = acknowledged
		}
	}
	if again := len(answer.Rejected) == 0 && answer.More > 0; again {
		if answer.More != bad || answer.Rows != len(q.ids)-bad {
			m.T.Errorf("%d of %d rows are wrong, and the answer to the request sent again is %s", bad, len(q.ids), text)
		}
		return
	}
	for _, r := range answer.Rejected {
		if r.Row < 0 || r.Row >= len(q.ids) || !m.items[q.ids[r.Row]].bad {
			m.T.Errorf("the row %d is right, and rejected: %s", r.Row, text)
		}
	}
	if len(answer.Rejected) != bad || answer.Rows != len(q.ids)-bad {
		m.T.Errorf("%d of %d rows are wrong: %s", bad, len(q.ids), text)
	}
	m.Count("rows rejected", bad)
}

// administer drops tables and columns, and sets types. Rows that existed before their table was
// dropped must not return. The fate of rows that are sent during the drop is unknown.
func (c *client) administer() {
	defer c.http.CloseIdleConnections()
	m := c.m
	for range c.IntN(3) {
		time.Sleep(time.Duration(c.Int64N(int64(8 * time.Second))))
		if m.isOver() {
			return
		}
		table := fmt.Sprint("t", c.IntN(3))
		switch c.IntN(4) {
		case 0, 1:
			if m.declare(c, "db/"+table); c.IntN(2) == 0 {
				m.setType(c, "db/"+table, "v")
			} else {
				m.setType(c, "metrics/"+seriesTenants[c.IntN(len(seriesTenants))], "value")
			}
			continue
		case 2:
			if status, _ := c.do("DELETE", "/v1/tables/db/"+table+"/columns/extra?files=rewrite", nil); status == http.StatusNoContent {
				m.Count("columns dropped", 1)
			}
			continue
		}
		m.drop(c, "db/"+table)
	}
}

// setType changes the type of a numeric column, in all files of the table. The known fates of rows
// stay the same.
func (m *model) setType(c *client, table, column string) {
	kind := []string{"float64", "int64"}[c.IntN(2)]
	m.mu.Lock()
	m.pinned[table] = m.pinned[table] && kind == "float64" // the type may have changed, whatever the response says
	m.mu.Unlock()
	status, text := c.do("PUT", "/v1/tables/"+table+"/columns/"+column, fmt.Appendf(nil, `{"type":%q}`, kind), "Content-Type", "application/json")
	switch {
	case status == http.StatusNoContent:
		m.mu.Lock()
		m.pinned[table] = kind == "float64"
		m.mu.Unlock()
		m.Count("types set", 1)
	case status/100 == 4 && kind == "int64", status == http.StatusNotFound: // the column contains a float, or the table does not exist
		m.Count("types refused", 1)
	case status/100 == 4:
		m.T.Errorf("the type of %s in %s cannot be %s: %d %s", column, table, kind, status, text)
	}
}

// declare sets the type of a column that only one row contains. The row itself would give the
// column another type, so only the setting preserves the type.
func (m *model) declare(c *client, table string) {
	var id int64
	m.mu.Lock()
	for _, one := range m.sorted() {
		if it := m.items[one]; it.table == table && one%4 == 0 && it.fate == acknowledged && !it.sparse && m.declared[one] == "" {
			id = one
		}
	}
	delete(m.declared, id)
	m.mu.Unlock()
	if id == 0 {
		return
	}
	kind := []string{"string", "int64", "float64"}[c.IntN(3)]
	status, _ := c.do("PUT", fmt.Sprintf("/v1/tables/%s/columns/alone%d", table, id), fmt.Appendf(nil, `{"type":%q}`, kind), "Content-Type", "application/json")
	if status == http.StatusNoContent {
		m.mu.Lock()
		m.declared[id] = kind
		m.mu.Unlock()
		m.Count("types declared", 1)
	}
}

func (m *model) drop(c *client, table string) {
	m.mu.Lock()
	delete(m.pinned, table)
	for id := range m.declared {
		if m.items[id].table == table {
			delete(m.declared, id)
		}
	}
	before := make(map[int64]bool)
	for id, it := range m.items {
		before[id] = it.table == table && it.fate != unknown
	}
	of := func(q *request) bool {
		return slices.ContainsFunc(q.ids, func(id int64) bool { return m.items[id].table == table })
	}
	begun := make(map[*request]bool)
	for q := range m.flying {
		begun[q] = of(q)
	}
	m.mu.Unlock()
	status, _ := c.do("DELETE", "/v1/tables/"+table+"?files=delete", nil)
	if status == http.StatusNotFound {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for q := range m.flying {
		m.flying[q] = m.flying[q] || of(q)
	}
	for _, q := range m.requests {
		q.altered = q.altered || of(q)
	}
	m.dropped[table] = true
	gone := 0
	for id, it := range m.items {
		switch {
		case it.table != table || it.fate == refused || it.fate == dropped:
		case status == http.StatusNoContent && before[id]:
			it.fate = dropped
			gone++
		default:
			it.fate = unknown
		}
	}
	if status == http.StatusNoContent {
		m.Count("drops", 1)
		m.Count("rows dropped", gone)
	}
}
