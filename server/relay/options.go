package relay

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/queue"
	"github.com/slipstream-go/slipstream/server/series"
)

// Options are the options of a relay. A zero field means the default.
type Options struct {
	Targets  []string // URLs of the targets, which receive the series; if empty, the series are passed to Land
	Egress   Egress
	Header   string   // header for the tenant ID; default X-Scope-OrgID
	Protocol Protocol // Remote Write version for targets
	Encoding Encoding // encoding of bodies that the relay compresses; bodies that it forwards unchanged may also be snappy

	Tenants Tenants
	// Metadata selects the tenants that get the metadata in requests of version 1. In version 1,
	// metadata does not belong to a series.
	Metadata Destination
	// Rules is the path of the rules file with credentials, tenants and limits, or empty.
	Rules string

	// RejectedTenant is the action for a tenant that the target rejects (401, 403, 404, 405, 3xx).
	// DeadTenant is the action for a tenant for which no target has responded for some time. With
	// Fail, the sender gets an error. With Drop, the relay drops and counts the series.
	RejectedTenant, DeadTenant Policy
	// Replicate sends each request to every target. By default, a request is sent to one target.
	Replicate bool
	// DeadTarget is the action for series when one of the targets has not responded for some time.
	// It applies only with Replicate and without a queue. With Fail, the sender gets an error, and
	// sends the series again to all targets. With Drop, the target that does not respond loses the
	// series, if another target accepts them.
	DeadTarget Policy

	// TooMany is the status of the response if a rate limit of the relay or of the target is
	// exceeded. It is 503 (the default) or 429. By default, Prometheus drops the data after a 429.
	TooMany int

	Timeout time.Duration // maximum time to deliver a request; default 15 s; must be shorter than the senders' timeout
	ConnAge time.Duration // maximum age of a connection to a target; default 10 min
	Conns   int           // maximum number of connections to each target; each concurrent request uses one; default 2048

	Queue *QueueOptions // if nil, the relay responds after the targets have responded

	Bounds Bounds
	Flight *admission.Budget // memory of current requests

	// Admit checks the token of each request, if Admit is not nil and the rules define no
	// credentials. It returns the reason for a rejection, or nil.
	Admit func(*http.Request) *access.Refusal
	// Land stores the series of a request if there are no targets. It stores either all parts or no
	// part. It must not retain the slice `parts`.
	Land func(parts []series.Part) series.Result

	Version string
	Logger  *slog.Logger

	// Dial connects to targets. The default is TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Tenants defines how the tenant of a series is determined.
type Tenants struct {
	Labels  []string // the value of the first of these labels in a series is the tenant; default __tenant__
	Remove  bool     // remove these labels from the series
	Default string   // tenant of series without a tenant label, if Missing is Fallback; also the tenant of metadata, if Metadata is ToDefault
	Missing Policy   // action for series without a tenant label
	Prefix  string   // prefix of all tenant IDs at the targets
}

// Egress contains the credentials of the relay for targets. Files are re-read when they change.
type Egress struct {
	User, PasswordFile string // basic authentication
	TokenFile          string // bearer token
	CA                 string // CA certificates for the targets, PEM; if empty, the certificates of the system
	Cert, Key          string // client certificate of the relay, PEM
}

// Bounds contains the limits for one request.
type Bounds struct {
	Body    int64 // maximum size as received, in bytes; default 32 MiB
	Decoded int   // maximum size after decompression, in bytes; default 32 MiB, like Prometheus
	Ratio   int   // maximum compression ratio, enforced after the first MiB; default 200
	Tenants int   // maximum number of tenants in one request; default 1000
	Series  int   // maximum number of series in one request; default 250,000
	Symbols int   // maximum number of symbols in one request of version 2; default 1,000,000
}

// QueueOptions are the options of the queue. The relay itself sets the field Deliver and the limits
// for one call of Deliver.
type QueueOptions struct {
	Dir string
	queue.Options
}

// Protocol selects the version of Remote Write for targets. A request of version 1 is always sent
// as version 1.
type Protocol uint8

const (
	AsTheyTake Protocol = iota // version 2 for requests of version 2, unless the target rejects version 2
	OnlyV1
	AlsoV2 // version 2 for requests of version 2, even if the target rejects version 2
)

var protocolNames = [...]string{AsTheyTake: "auto", OnlyV1: "1", AlsoV2: "2"}

func (p Protocol) String() string { return protocolNames[p] }

// UnmarshalText sets p to the protocol with the given name.
func (p *Protocol) UnmarshalText(text []byte) error {
	return nameOf(p, protocolNames[:], text)
}

// Policy is the action for series that cannot be delivered.
type Policy uint8

const (
	Fail     Policy = iota // the sender gets an error
	Drop                   // the series are dropped, and counted
	Fallback               // the series go to the default tenant
)

var policyNames = [...]string{Fail: "fail", Drop: "drop", Fallback: "default"}

func (p Policy) String() string { return policyNames[p] }

// UnmarshalText sets p to the policy with the given name.
func (p *Policy) UnmarshalText(text []byte) error {
	return nameOf(p, policyNames[:], text)
}

// Destination selects the tenants that get the metadata in requests of version 1.
type Destination uint8

const (
	ToDefault Destination = iota // metadata goes to the default tenant, if there is one
	ToAll                        // metadata goes to all tenants of the request; if the request contains no series, metadata goes to all tenants for which the sender has recently written
	ToNone                       // metadata is dropped, and counted
)

var destinationNames = [...]string{ToDefault: "default", ToAll: "broadcast", ToNone: "drop"}

func (d Destination) String() string { return destinationNames[d] }

// UnmarshalText sets d to the destination with the given name.
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
		o.Flight = admission.NewBudget(256 << 20)
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
