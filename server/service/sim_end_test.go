package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/sim"
)

// end runs the last life, with a sound disk and sound targets. Then it compares the stored rows and
// samples with the model.
func (m *model) end() {
	m.Phase("end")
	m.Sound()
	m.Power()
	m.serveAll()
	var tables string
	for range 2 {
		stop, err := m.start()
		if err != nil {
			m.Fatal("a service on a sound disk does not start: %v", err)
		}
		c := m.client("198.51.100.201")
		m.await(c, 5*time.Minute)
		if status, text := c.do("POST", "/-/flush", nil); status != http.StatusNoContent {
			m.Fatal("rows do not land: %d: %s", status, text)
		}
		m.Await(10*time.Minute, func() error {
			if err := m.delivered(); err != nil {
				return err
			}
			return m.aside()
		})
		var status int
		if status, tables = c.do("GET", "/v1/tables", nil); status != http.StatusOK {
			m.Fatal("/v1/tables answers %d: %s", status, tables)
		}
		c.http.CloseIdleConnections()
		if err := stop(); err != nil {
			m.Fatal("the service does not end in good order: %v", err)
		}
		m.Reboot()
		m.Sound()
	}
	if err := errors.Join(m.delivered(), m.aside()); err != nil {
		m.Fatal("%v", err)
	}
	found := make(map[int64]int)
	m.walk("/data/tables", func(file string) { m.look(file, found) })
	for _, id := range m.sorted() {
		it, n := m.items[id], found[id]
		delete(found, id)
		switch {
		case it.way != toFiles:
			if n > 0 {
				m.Fatal("the sample %d of %s is in a table", id, it.table)
			}
		case it.fate == acknowledged && n != 1 && !(it.twice && n == 2):
			m.Fatal("%d of %s was acknowledged and is there %d times: %s", id, it.table, n, m.story(id))
		case (it.fate == refused || it.fate == dropped || it.bad) && n > 0:
			m.Fatal("%d of %s was %v and is there %d times: %s", id, it.table, it.fate, n, m.story(id))
		case n > 1 && !it.twice:
			m.Fatal("%d of %s is there %d times: %s", id, it.table, n, m.story(id))
		}
		if it.fate == unknown {
			found[id] = n
		}
	}
	m.whole(found)
	m.traces(tables)
}

// aside returns an error if there are files in the directory aside.
func (m *model) aside() (err error) {
	m.walk("/data/aside", func(file string) { err = fmt.Errorf("%s is aside", file) })
	return err
}

// story describes the request of an item.
func (m *model) story(id int64) string {
	q := m.requestOf(id)
	return fmt.Sprintf("%s, key %q, life %d, last answer %d, begun %v, ended %v, altered %v, ids %v", q.kind, q.key, q.life, q.status, q.begun.Format("15:04:05.000"), q.ended.Format("15:04:05.000"), q.altered, q.ids)
}

// whole checks that of each request of unknown fate either all rows are stored or none. unknown
// contains the number of occurrences of each item of unknown fate, and of ids that were never sent.
func (m *model) whole(unknown map[int64]int) {
	there := make(map[*request]bool)
	for _, q := range m.requests {
		n, of := 0, 0
		for _, id := range q.ids {
			it := m.items[id]
			if k, there := unknown[id]; there && !it.bad && !m.dropped[it.table] {
				n += min(k, 1)
				of++
			}
		}
		if n != 0 && n != of && q.way == toFiles {
			m.Fatal("%d of %d rows of one request are there: %s", n, of, m.story(q.ids[0]))
		}
		for _, id := range q.ids {
			delete(unknown, id)
		}
		there[q] = n > 0
		for _, r := range q.rivals {
			if there[q] && there[r] {
				m.Fatal("two requests with one key are there: %s; %s", m.story(q.ids[0]), m.story(r.ids[0]))
			}
		}
	}
	for id, n := range unknown {
		if n > 0 && m.items[id] == nil {
			m.Fatal("the row %d was never sent", id)
		}
	}
}

// traces checks that the catalog contains no table and no column of rejected requests and rows.
func (m *model) traces(text string) {
	var tables []struct {
		DB, Table string
		Columns   []struct{ Name, Type string }
	}
	if err := json.Unmarshal([]byte(text), &tables); err != nil {
		m.Fatal("%v: %s", err, text)
	}
	for _, t := range tables {
		if strings.HasPrefix(t.Table, "never") {
			m.Fatal("the catalog has the table %s of a refused request", t.Table)
		}
		for _, c := range t.Columns {
			var id int64
			if n, _ := fmt.Sscanf(c.Name, "alone%d", &id); n == 1 && m.items[id].fate == refused {
				m.Fatal("%d was refused, and its column is in the catalog: %s", id, m.story(id))
			} else if kind := m.declared[id]; n == 1 && kind != "" && c.Type != kind {
				m.Fatal("the column %s of %s was set to %s, and is one of %s", c.Name, t.Table, kind, c.Type)
			}
			if strings.HasPrefix(c.Name, "only") {
				m.Fatal("the catalog has the column %s of a refused request", c.Name)
			}
			if c.Name == "v" && m.pinned[t.DB+"/"+t.Table] && c.Type != "float64" {
				m.Fatal("the column v of %s was set to float64, and is one of %s", t.Table, c.Type)
			}
			if t.DB == "db" && c.Name == "id" && c.Type != "int64" {
				m.Fatal("the column id of %s is one of %s", t.Table, c.Type)
			}
		}
	}
}

func (m *model) walk(dir string, each func(path string)) {
	if err := m.Walk(dir, each); err != nil && !errors.Is(err, fs.ErrNotExist) { // the directory does not exist if no row has landed
		m.Fatal("%v", err)
	}
}

// look counts the rows of a file, and compares their cells with the cells that follow from their
// ids.
func (m *model) look(file string, found map[int64]int) {
	b, _, err := parquet.Read(m.Disk, file)
	if err != nil {
		m.Fatal("%v", err)
	}
	parts := strings.Split(strings.TrimPrefix(file, "/data/tables/"), "/")
	table := parts[0] + "/" + parts[1]
	if v := b.Find("v"); m.pinned[table] && v != nil && v.Kind == column.Int64 {
		m.Fatal("the column v of %s was set to float64, and %s has ints", table, file)
	}
	for i := range b.Rows {
		id := int64(0)
		if parts[0] == "metrics" {
			id = int64(sim.Number(b.Find("value"), i))
		} else {
			id = b.Find("id").Ints[i]
		}
		found[id]++
		it := m.items[id]
		if it == nil || it.table != table {
			m.Fatal("%s has the row %d of %+v", file, id, it)
		}
		if parts[0] == "metrics" || it.sparse {
			continue
		}
		row := m.row(id, it)
		if kind := m.declared[id]; kind != "" {
			if c := b.Find(fmt.Sprint("alone", id)); c == nil || c.Kind.String() != kind || c.IsNull(i) {
				m.Fatal("the row %d in %s does not have the cell of the type %s that was set", id, file, kind)
			}
		}
		name, late := late(id)
		v := row["v"]
		if got := fmt.Sprint(sim.Number(b.Find("v"), i)); got != fmt.Sprint(number64(v)) || sim.Number(b.Find(name), i) != late || string(b.Find("host").StringAt(i)) != host(id) || b.Find("time").Ints[i] != it.time {
			m.Fatal("%s has the row %d with v %s, %s %v", file, id, got, name, sim.Number(b.Find(name), i))
		}
	}
}

func number64(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}
