package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/wal"
)

// loadBatch fills b with a batch as in the load test of the service: 1000 rows with a time, a host
// and three floats, one row a microsecond. A batch spans one millisecond, and `overlap` is the
// number of batches that begin in the same millisecond.
func loadBatch(b *column.Batch, rnd *rand.Rand, n, overlap int) {
	const rows = 1000
	cell := func(name string, kind column.Kind) *column.Column {
		c, err := b.Column([]byte(name))
		if err != nil {
			panic(err)
		}
		c.Accepts(kind)
		return c
	}
	times, host := cell(timeColumn, column.Time), cell("host", column.String)
	var text []byte
	for i := range rows {
		times.AppendTime(exampleHour + int64(n*rows/max(overlap, 1)+i))
		text = fmt.Appendf(text[:0], "server%03d", rnd.IntN(1000))
		if err := host.AppendString(text); err != nil {
			panic(err)
		}
	}
	for _, name := range []string{"value", "cpu_idle", "cpu_user"} {
		c := cell(name, column.Float64)
		for range rows {
			c.AppendFloat64(float64(rnd.IntN(10_000)) / 100)
		}
	}
	b.Rows = rows
}

func loadSchema() *schema {
	sc := newSchema(Name{"db", "cpu"})
	sc.add(Field{Name: "host", Kind: column.String})
	for _, name := range []string{"value", "cpu_idle", "cpu_user"} {
		sc.add(Field{Name: name, Kind: column.Float64})
	}
	return sc
}

// BenchmarkOrderGather measures how a unit of 512,000 rows is converted from batches to columns in
// the order of the file.
func BenchmarkOrderGather(b *testing.B) {
	const batches, rows, page = 512, 512 * 1000, 1 << 17
	for _, overlap := range []int{1, 2, 12, 100} {
		rnd := rand.New(rand.NewPCG(1, 2))
		pieces := make([]piece, batches)
		for n := range pieces {
			batch := new(column.Batch)
			loadBatch(batch, rnd, n, overlap)
			pieces[n] = piece{batch: batch, span: measure(batch.Find(timeColumn).Ints, 1000)}
		}
		sc := loadSchema()
		var o orderer
		b.Run(fmt.Sprintf("overlap=%d/order", overlap), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o.order(pieces)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
		})
		absent := conform(pieces, sc)
		chunks, parts := o.order(pieces)
		for col, f := range sc.fields[:3] {
			b.Run(fmt.Sprintf("overlap=%d/gather=%s", overlap, f.Name), func(b *testing.B) {
				var c column.Column
				g := newGatherer(chunks, sc.fields, absent, parts[0])
				b.ReportAllocs()
				for b.Loop() {
					for from := 0; from < parts[0].rows; from += page {
						if err := g.gather(col, from, min(from+page, parts[0].rows), &c); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
			})
		}
	}
}

// drain is a sink that gathers every column and writes no file.
type drain struct{ page int }

func (d drain) Land(_ context.Context, f *File) (int64, error) {
	var c column.Column
	for from := 0; from < f.Rows; from += d.page {
		for i := range f.Columns {
			if err := f.Gather(i, from, min(from+d.page, f.Rows), &c); err != nil {
				return 0, err
			}
		}
	}
	return 1, nil
}

func (drain) Exists(string) (bool, error) { return false, nil }
func (drain) Remove(string) error         { return nil }
func (drain) Rewrite(context.Context, string, []Field) (Rewritten, error) {
	return Rewritten{}, nil
}

// BenchmarkCheck measures the catalog's check of a batch whose columns are all in the catalog.
func BenchmarkCheck(b *testing.B) {
	c, err := openCatalog(disk.OS, b.TempDir()+"/catalog.json")
	if err != nil {
		b.Fatal(err)
	}
	batch := new(column.Batch)
	loadBatch(batch, rand.New(rand.NewPCG(1, 2)), 0, 1)
	b.ReportAllocs()
	if _, err := c.admit(Name{"db", "cpu"}, batch); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if c.covering(Name{"db", "cpu"}, batch) == nil {
			b.Fatal("a column is missing")
		}
	}
}

// BenchmarkStore measures the store's part of a request, without decoding and encoding, and with
// tiny log records.
func BenchmarkStore(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	model := make([]*column.Batch, 64)
	for n := range model {
		model[n] = new(column.Batch)
		loadBatch(model[n], rnd, n, 12)
	}
	s := openStore(b, Options{Dir: b.TempDir(), Sink: drain{1 << 17}, Decode: func(*wal.Record) ([]Write, error) { return nil, nil }})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		batch := s.Batch()
		appendBatch(batch, model[n%len(model)])
		n++
		for {
			err := s.Append(&wal.Record{Payload: []byte("x")}, []Write{{Name{"db", "cpu"}, batch}}, false, nil)
			if err == nil {
				break
			}
			if err != ErrBusy {
				b.Fatal(err)
			}
			if err := s.Flush(context.Background()); err != nil {
				b.Fatal(err)
			}
			batch = s.Batch()
			appendBatch(batch, model[n%len(model)])
		}
	}
	if err := s.Flush(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*1000), "ns/row")
}
