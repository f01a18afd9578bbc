package series

import (
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Database is the name of the database that contains the tables of all tenants.
const Database = "metrics"

// Part is the decompressed part of a request for one tenant.
type Part struct {
	Tenant  string
	Version remotewrite.Version
	Body    []byte
}

// Verdict is the outcome of storing parts.
type Verdict uint8

const (
	Stored  Verdict = iota // all parts are stored in the log on disk
	Invalid                // the rows are invalid or too many, and will never be accepted
	Busy                   // nothing is stored: a budget is used up
	Failed                 // nothing is stored, or it is unknown whether the parts are stored: the service is not ready, or the disk failed
)

// Result describes the result of storing parts.
type Result struct {
	Verdict    Verdict
	RetryAfter time.Duration // minimum time until the parts may be sent again; 0 if sending them again does not help
	Err        error         // nil if all parts are stored; if the parts are invalid, the error names the tenant
}
