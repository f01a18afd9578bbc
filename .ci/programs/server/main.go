// Command server is a program that imports a package of the module server: it writes a record to a
// log, and checks the log.
package main

import (
	"fmt"
	"log"

	"github.com/slipstream-go/slipstream/server/wal"
)

func main() {
	l, err := wal.Open("log", wal.Options{SegmentBytes: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	l.Start()
	record := wal.Record{Type: 1, DB: "db", Table: "t", Payload: []byte("payload")}
	if err := l.Append(&record, nil); err != nil {
		log.Fatal(err)
	}
	if err := l.Close(); err != nil {
		log.Fatal(err)
	}
	report, err := wal.Check("log")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("record", record.Seq, "is in a log with", len(report.Damage), "damaged places")
}
