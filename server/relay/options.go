package relay

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/ingest"
	"github.com/slipstream-go/slipstream/server/queue"
)

// Options are the options of a relay. A zero field has its default.
type Options struct {
	Targets  []string // URLs that tenants' requests are posted to; none: they go to Land
	Egress   Egress
	Header   string   // that names the tenant; default X-Scope-OrgID
	Protocol Protocol // the version of Remote Write that targets get
	Encoding Encoding // of what is made here; what can be passed on as it came keeps its own, unless the target has refused it

	Tenants Tenants
	// Metadata is the destination of metadata of version 1, which belongs to no series.
	Metadata Destination
	// Rules is the path of the rules file with credentials, tenants and limits, or empty.
	Rules string

	// RejectedTenant is the action for a tenant that the target rejects (401, 403, 404). DeadTenant
	// is the action for a tenant for which no target has answered for some time. Fail returns an
	// error to the sender, Drop loses the series and counts them.
	RejectedTenant, DeadTenant Policy
	// Replicate sends each request to every target. By default, it is sent to one of them.
	Replicate bool
	// DeadTarget is the action for series of one target that has not answered for some time, with
	// Replicate and without a queue. Fail returns an error to the sender, which keeps the series
	// for all targets. Drop loses them for that target, as long as another one accepts them.
	DeadTarget Policy

	// TooMany is the status of the answer if a rate is exceeded, here or at the target: 503, or
	// 429, for which Prometheus drops the data by default.
	TooMany int

	Timeout time.Duration // for all that a request needs; default 15 s. It must be shorter than that of the senders
	ConnAge time.Duration // of connections to targets; default 10 min
	Conns   int           // to each target at once, one for each post; default 2048

	Queue *QueueOptions // nil: a request is answered when the targets have answered

	Bounds Bounds
	Flight *ingest.Budget // memory of current requests

	// Admit, if not nil, checks requests if the rules have no credentials. It returns the reason
	// for a rejection, or nil.
	Admit func(*http.Request) *access.Refusal
	// Land accepts requests if there is no target. Its results are those of
	// [ingest.Handler.AppendSeries].
	Land func(parts []ingest.Series) (status int, after time.Duration, err error)

	Version string
	Logger  *slog.Logger

	// Dial connects to targets. The default is TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Tenants determines the tenant of a series.
type Tenants struct {
	Labels  []string // the first of these that a series has names its tenant; default __tenant__
	Remove  bool     // take them out of the series
	Default string   // the tenant that they are, if Missing is Fallback, and that gets the metadata, if Metadata is ToDefault
	Missing Policy   // action for series without a tenant label
	Prefix  string   // before the names of tenants
}

// Egress has the credentials of the relay for targets. Files are read again when they change.
type Egress struct {
	User, PasswordFile string // basic
	TokenFile          string // bearer
	CA                 string // certificates that the targets' are checked against, PEM; empty: the system's
	Cert, Key          string // that the relay shows, PEM
}

// Bounds are the limits of a request.
type Bounds struct {
	Body    int64 // bytes, as received; default 32 MiB
	Decoded int   // bytes, decompressed; default 32 MiB, as Prometheus has it
	Ratio   int   // of the two, beyond the first MiB; default 200
	Tenants int   // in one request; default 1000
	Series  int   // in one request; default 250,000
	Symbols int   // in one request of version 2; default 1,000,000
}

// QueueOptions are the options of the queue. The relay sets Deliver and the size of calls.
type QueueOptions struct {
	Dir string
	queue.Options
}

// Protocol is the version of Remote Write for targets. A request of version 1 is always sent as
// version 1.
type Protocol uint8

const (
	AsTheyTake Protocol = iota // version 2 for requests of version 2, unless the target does not take it
	OnlyV1
	AlsoV2 // version 2 for requests of version 2, whatever the target answers
)

var protocolNames = [...]string{AsTheyTake: "auto", OnlyV1: "1", AlsoV2: "2"}

func (p Protocol) String() string { return protocolNames[p] }

// UnmarshalText parses a name.
func (p *Protocol) UnmarshalText(text []byte) error {
	return nameOf(p, protocolNames[:], text)
}

// Policy is the action for series that cannot be delivered.
type Policy uint8

const (
	Fail     Policy = iota // the sender is told
	Drop                   // they are lost, and counted
	Fallback               // they are the default tenant's
)

var policyNames = [...]string{Fail: "fail", Drop: "drop", Fallback: "default"}

func (p Policy) String() string { return policyNames[p] }

// UnmarshalText parses a name.
func (p *Policy) UnmarshalText(text []byte) error {
	return nameOf(p, policyNames[:], text)
}

// Destination is the destination of metadata of version 1.
type Destination uint8

const (
	ToDefault Destination = iota // to the default tenant, if there is one
	ToAll                        // to the tenants of the request; if it has no series, to those that its sender wrote for recently
	ToNone                       // dropped, and counted
)

var destinationNames = [...]string{ToDefault: "default", ToAll: "broadcast", ToNone: "drop"}

func (d Destination) String() string { return destinationNames[d] }

// UnmarshalText parses a name.
func (d *Destination) UnmarshalText(text []byte) error {
	return nameOf(d, destinationNames[:], text)
}

func nameOf[T ~uint8](v *T, names []string, text []byte) error {
	for i, name := range names {
		if name == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("%q is none of %q", text, names)
}

func (o *Options) setDefaults() {
	setDefault(&o.Header, "X-Scope-OrgID")
	o.Header = http.CanonicalHeaderKey(o.Header)
	if len(o.Tenants.Labels) == 0 {
		o.Tenants.Labels = []string{"__tenant__"}
	}
	setDefault(&o.TooMany, http.StatusServiceUnavailable)
	setDefault(&o.Timeout, 15*time.Second)
	setDefault(&o.ConnAge, 10*time.Minute)
	setDefault(&o.Conns, 2048)
	setDefault(&o.Bounds.Body, 32<<20)
	setDefault(&o.Bounds.Decoded, 32<<20)
	setDefault(&o.Bounds.Ratio, 200)
	setDefault(&o.Bounds.Tenants, 1000)
	setDefault(&o.Bounds.Series, 250_000)
	setDefault(&o.Bounds.Symbols, 1_000_000)
	if o.Flight == nil {
		o.Flight = ingest.NewBudget(256 << 20)
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
}

func setDefault[T comparable](v *T, value T) {
	var zero T
	if *v == zero {
		*v = value
	}
}
