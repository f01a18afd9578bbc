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
	Target    []string       `help:"URL to which the relay posts series, for example http://mimir:8080/api/v1/push. Repeat the flag for several targets; see --relay.replicate. Without a target, series are stored in Parquet files." placeholder:"URL" group:"Remote Write"`
	Header    string         `help:"Name of the HTTP header that contains the tenant ID in posts to targets." default:"X-Scope-OrgID"`
	Replicate bool           `help:"Send every series to every target. Without this flag, the targets are addresses of one store, and each post goes to the least busy target."`
	Version   relay.Protocol `help:"Remote Write version in which requests of version 2.0 are forwarded: 2, 1, or auto (version 1.0 for targets that reject version 2.0)." default:"auto"`
	Encoding  relay.Encoding `help:"Compression of posts to targets: snappy, or zstd for VictoriaMetrics." default:"snappy"`
	Timeout   time.Duration  `help:"Maximum time from a request to its response. It must be shorter than the timeout of the senders." default:"15s"`
	TooMany   int            `help:"Status that senders get if a rate limit of the relay or of a target is exceeded: 503 or 429. Prometheus drops data after 429, unless retry_on_http_429 is set." default:"503" enum:"429,503"`

	TenantLabel    []string     `help:"Names of the labels that can contain the tenant ID, in order of priority." default:"__tenant__"`
	TenantRemove   bool         `help:"Remove the tenant labels from series. Without this flag, a request that contains only one tenant is forwarded unchanged."`
	TenantDefault  string       `help:"Tenant ID of series that have no tenant label." default:"anonymous"`
	TenantMissing  relay.Policy `help:"Action for series without a tenant label: default (use --relay.tenant-default), fail (the sender gets an error) or drop." default:"default"`
	TenantPrefix   string       `help:"Prefix that is added to the tenant IDs in posts to targets."`
	RejectedTenant relay.Policy `help:"Action for the series of a tenant if a target answers 401, 403 or 404: fail (the sender gets an error after which it does not retry) or drop." default:"fail"`
	DeadTenant     relay.Policy `help:"Action for the series of a tenant whose circuit is open because no target accepts its series: fail (the sender retries the whole request) or drop." default:"fail"`

	DeadTarget relay.Policy `help:"Action for the series of a target whose circuit is open: fail (the sender retries, and all targets wait) or drop (that target loses the series). The flag applies only with --relay.replicate and without a queue." default:"fail"`

	Metadata relay.Destination `help:"Destination of Remote Write 1.0 metadata, which belongs to no series: default (the default tenant), broadcast (each tenant of the request, or of the sender if the request has no series) or drop." default:"default"`
	Rules    string            `help:"File that contains credentials, tenants and limits. The relay reads the file again when it changes." type:"path" placeholder:"FILE"`

	User         string `help:"User name that the relay sends to targets for basic authentication." placeholder:"NAME"`
	PasswordFile string `help:"File that contains the password for basic authentication at targets." type:"path" placeholder:"FILE"`
	TokenFile    string `help:"File that contains the bearer token that the relay sends to targets." type:"path" placeholder:"FILE"`
	CA           string `help:"PEM file of the CA certificates that verify the targets. Default: the CA certificates of the system." name:"ca" type:"path" placeholder:"FILE"`
	Cert         string `help:"PEM file of the client certificate that the relay presents to targets." type:"path" placeholder:"FILE"`
	Key          string `help:"PEM file of the private key of the client certificate." type:"path" placeholder:"FILE"`

	Conns   int           `help:"Maximum number of connections to each target." default:"2048"`
	ConnAge time.Duration `help:"Maximum age of connections to targets and from senders, so that load balancers can redistribute them." default:"10m"`

	MaxBody    Size `help:"Maximum size of a request body as received." default:"32MiB"`
	MaxDecoded Size `help:"Maximum size of a request body after decompression." default:"32MiB"`
	MaxTenants int  `help:"Maximum number of tenants per request." default:"1000"`
	MaxSeries  int  `help:"Maximum number of series per request. The maximum number of symbols is four times as large." default:"250000"`

	Queue           string        `help:"Queue directory. With a queue, senders get their response as soon as the series are on disk. Without a queue, they get it after the targets have responded." type:"path" placeholder:"DIR"`
	QueueMax        Size          `help:"Maximum number of queued bytes. If the queue is full, senders get 503." default:"16GiB"`
	QueueTenantMax  Size          `help:"Maximum number of queued bytes per tenant." default:"4GiB"`
	QueueDropOldest bool          `help:"If a tenant's queue is full, drop the tenant's oldest series instead of rejecting new series."`
	QueueMaxAge     time.Duration `help:"Maximum age of queued series if --relay.queue-drop-oldest is set. 0 means no limit." default:"0s"`
	QueueMemory     Size          `help:"Maximum memory for queued series. Other queued series are read from the disk before they are posted." default:"64MiB"`
	QueueWorkers    int           `help:"Maximum number of concurrent posts from the queue." default:"32"`
}

// check returns an error if the settings are invalid. The argument `listen` is the address on which
// the service listens.
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
		return errors.New("--relay.dead-target=drop cannot be used with --relay.queue, which keeps the series for the target; to limit the queue, set --relay.queue-drop-oldest")
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
		lines = Size(len(r.Target)) // the limit is divided equally among the targets
	}
	for flag, size := range map[string]Size{"queue-max": r.QueueMax / lines, "queue-tenant-max": r.QueueTenantMax} {
		if least := r.MaxBody + queueCost; size < least {
			return fmt.Errorf("--relay.%s=%d: must be at least %d, so that the queue can hold one request of the size --relay.max-body", flag, size, least)
		}
	}
	return nil
}
