// Package series is the port between the relay, which splits Remote Write requests by tenant, and
// the tables, which store their parts as rows.
package series

import (
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Database is the database of all tenants' tables.
const Database = "metrics"

// Part is the decompressed request of one tenant.
type Part struct {
	Tenant  string
	Version remotewrite.Version
	Body    []byte
}

// Verdict is the outcome of storing parts.
type Verdict uint8

const (
	Stored  Verdict = iota // everything is on disk
	Invalid                // the rows are invalid or too many, and will never be accepted
	Busy                   // nothing is stored: a budget is used up
	Failed                 // nothing is stored, or it is in doubt: the service is not ready, or the disk failed
)

// Result is the result of storing parts.
type Result struct {
	Verdict    Verdict
	RetryAfter time.Duration // the earliest time to send the parts again, if that may help
	Err        error         // nil if everything is stored. If the parts are invalid, it names the tenant
}
