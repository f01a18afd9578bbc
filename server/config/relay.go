package config

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/server/relay"
)

// Relay contains the settings of Remote Write.
type Relay struct {
	Target    []string       `help:"URL that series are posted to, for example http://mimir:8080/api/v1/push; repeat for several, see --relay.replicate. Without a target, series are stored in Parquet." placeholder:"URL" group:"Remote Write"`
	Header    string         `help:"Header with the tenant, for targets." default:"X-Scope-OrgID"`
	Replicate bool           `help:"Send every series to every target. Without it, targets are replicas of one endpoint, and each post goes to the least busy."`
	Version   relay.Protocol `help:"Remote Write version for targets when the request is 2.0: 2, 1, or auto (1 for targets that refuse 2)." default:"auto"`
	Encoding  relay.Encoding `help:"Compression of posts: snappy, or zstd for VictoriaMetrics." default:"snappy"`
	Timeout   time.Duration  `help:"Maximum time from a request to its response. Must be shorter than the senders' timeout." default:"15s"`
	TooMany   int            `help:"Status for backpressure from a target or a limit: 503 or 429. Prometheus drops data on 429 unless retry_on_http_429 is set." default:"503" enum:"429,503"`

	TenantLabel    []string     `help:"Labels that name the tenant, by priority." default:"__tenant__"`
	TenantRemove   bool         `help:"Remove the tenant labels from series. Without it, a request with one tenant is forwarded unchanged."`
	TenantDefault  string       `help:"Tenant of series without a tenant label." default:"anonymous"`
	TenantMissing  relay.Policy `help:"Action for series without a tenant label: default (use --relay.tenant-default), fail (the sender gets an error) or drop." default:"default"`
	TenantPrefix   string       `help:"Prefix of tenant names sent to targets."`
	RejectedTenant relay.Policy `help:"Action for series of a tenant that a target rejects with 401, 403 or 404: fail (the sender gets an error that it does not retry) or drop." default:"fail"`
	DeadTenant     relay.Policy `help:"Action for series of a tenant with an open circuit (no target responds): fail (the sender retries the whole request) or drop." default:"fail"`

	DeadTarget relay.Policy `help:"Action for series of a target with an open circuit, with --relay.replicate and without a queue: fail (the sender retries, all targets wait) or drop (that target loses them)." default:"fail"`

	Metadata relay.Destination `help:"Destination of Remote Write 1.0 metadata, which belongs to no series: default (the default tenant), broadcast (each tenant of the request, or of the sender if the request has no series) or drop." default:"default"`
	Rules    string            `help:"File with credentials, tenants and limits. Re-read when it changes." type:"path" placeholder:"FILE"`

	User         string `help:"Basic-auth user for targets." placeholder:"NAME"`
	PasswordFile string `help:"File containing the basic-auth password." type:"path" placeholder:"FILE"`
	TokenFile    string `help:"File containing the bearer token for targets." type:"path" placeholder:"FILE"`
	CA           string `help:"CA certificates for targets, PEM. Default: the system's." name:"ca" type:"path" placeholder:"FILE"`
	Cert         string `help:"Client certificate for targets, PEM." type:"path" placeholder:"FILE"`
	Key          string `help:"Key of the client certificate, PEM." type:"path" placeholder:"FILE"`

	Conns   int           `help:"Maximum connections per target." default:"2048"`
	ConnAge time.Duration `help:"Maximum age of connections to targets and from senders, so that load balancers can redistribute them." default:"10m"`

	MaxBody    Size `help:"Maximum size of a request body as received." default:"32MiB"`
	MaxDecoded Size `help:"Maximum size of a request body after decompression." default:"32MiB"`
	MaxTenants int  `help:"Maximum tenants per request." default:"1000"`
	MaxSeries  int  `help:"Maximum series per request. The maximum for symbols is four times as many." default:"250000"`

	Queue           string        `help:"Queue directory. With a queue, senders get their response as soon as the series are on disk; without one, after the targets respond." type:"path" placeholder:"DIR"`
	QueueMax        Size          `help:"Maximum queued bytes; above it: 503." default:"16GiB"`
	QueueTenantMax  Size          `help:"Maximum queued bytes per tenant." default:"4GiB"`
	QueueDropOldest bool          `help:"When a tenant's queue is full, drop its oldest series instead of refusing new ones."`
	QueueMaxAge     time.Duration `help:"Maximum age of queued series with --relay.queue-drop-oldest; 0: no limit." default:"0s"`
	QueueMemory     Size          `help:"Memory for queued series; the rest is read back from disk." default:"64MiB"`
	QueueWorkers    int           `help:"Maximum concurrent posts from the queue." default:"32"`
}

// check returns an error if the settings are invalid for a service that listens at the given
// address.
func (r *Relay) check(listen string) error {
	switch {
	case len(r.Target) == 0 && r.Queue != "":
		return errors.New("--relay.queue requires --relay.target; without a target, series are stored in Parquet")
	case (r.Cert == "") != (r.Key == ""):
		return errors.New("--relay.cert and --relay.key: set both or neither")
	case r.User != "" && r.TokenFile != "":
		return errors.New("--relay.user and --relay.token-file: set only one")
	case r.Replicate && len(r.Target) < 2:
		return errors.New("--relay.replicate requires at least two --relay.target")
	case r.DeadTarget == relay.Drop && !r.Replicate:
		return errors.New("--relay.dead-target=drop requires --relay.replicate")
	case r.DeadTarget == relay.Drop && r.Queue != "":
		return errors.New("--relay.dead-target=drop cannot be used with --relay.queue, which keeps the series for the target; limit it by --relay.queue-drop-oldest")
	case (r.User == "") != (r.PasswordFile == ""):
		return errors.New("--relay.user and --relay.password-file: set both or neither")
	case strings.Contains(r.User, ":"):
		return errors.New("--relay.user: basic authentication does not allow a colon in a user name")
	case r.TenantMissing == relay.Fallback && r.TenantDefault == "":
		return errors.New("--relay.tenant-missing=default requires --relay.tenant-default")
	case r.RejectedTenant == relay.Fallback || r.DeadTenant == relay.Fallback || r.DeadTarget == relay.Fallback:
		return errors.New("--relay.rejected-tenant, --relay.dead-tenant and --relay.dead-target: must be fail or drop")
	case r.TenantRemove && slices.Contains(r.TenantLabel, "__name__"):
		return errors.New("--relay.tenant-remove cannot remove __name__, which is in --relay.tenant-label")
	case r.TooMany != http.StatusTooManyRequests && r.TooMany != http.StatusServiceUnavailable:
		return fmt.Errorf("--relay.too-many=%d: must be 429 or 503", r.TooMany)
	}
	if err := relay.CheckHeader(r.Header); err != nil {
		return fmt.Errorf("--relay.header=%s: %w", r.Header, err)
	}
	if err := relay.CheckLabels(r.TenantLabel); err != nil {
		return fmt.Errorf("--relay.tenant-label: %w", err)
	}
	for _, target := range r.Target {
		if IsSelf(target, listen) {
			return fmt.Errorf("--relay.target=%s: this is the relay's own address (--listen=%s)", target, listen)
		}
	}
	return r.checkQueue()
}

// queueCost is the number of bytes that each queued item adds to the size of its body.
const queueCost = 128

func (r *Relay) checkQueue() error {
	switch {
	case r.QueueMaxAge > 0 && !r.QueueDropOldest:
		return errors.New("--relay.queue-max-age requires --relay.queue-drop-oldest")
	case r.QueueDropOldest && r.Queue == "":
		return errors.New("--relay.queue-drop-oldest requires --relay.queue")
	case r.Queue == "":
		return nil
	}
	lines := Size(1)
	if r.Replicate {
		lines = Size(len(r.Target)) // each target has its share of the limit
	}
	for flag, size := range map[string]Size{"queue-max": r.QueueMax / lines, "queue-tenant-max": r.QueueTenantMax} {
		if least := r.MaxBody + queueCost; size < least {
			return fmt.Errorf("--relay.%s=%d: must be at least %d, the size of one request of --relay.max-body", flag, size, least)
		}
	}
	return nil
}
