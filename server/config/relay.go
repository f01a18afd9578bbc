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

// Relay are the settings of Remote Write.
type Relay struct {
	Target    []string       `help:"URL that each tenant's series are posted to, as http://mimir:8080/api/v1/push; see --relay.replicate for several. None: the series land in Parquet." placeholder:"URL" group:"Remote Write"`
	Header    string         `help:"Header that names the tenant to the targets." default:"X-Scope-OrgID"`
	Replicate bool           `help:"Every target gets every series. Else a target is one of several doors to the same store, and the least busy one gets the next post."`
	Version   relay.Protocol `help:"Version of Remote Write that targets get for requests of 2.0: 2, 1, or auto, which is 1 for targets that refuse 2." default:"auto"`
	Encoding  relay.Encoding `help:"Compression of posts: snappy, or zstd for VictoriaMetrics." default:"snappy"`
	Timeout   time.Duration  `help:"For all that a request needs until it is answered; shorter than that of the senders." default:"15s"`
	TooMany   int            `help:"Status when a target, or a limit, says that it is too much: 503, or 429, at which Prometheus throws data away unless retry_on_http_429 is set." default:"503" enum:"429,503"`

	TenantLabel    []string     `help:"Labels that name the tenant, the most important first." default:"__tenant__"`
	TenantRemove   bool         `help:"Take these labels out of the series. A request of one tenant that keeps them is passed on as it came."`
	TenantDefault  string       `help:"Tenant of series that have none of the labels." default:"anonymous"`
	TenantMissing  relay.Policy `help:"What becomes of those: default (they are the default tenant's), fail (their sender is told) or drop." default:"default"`
	TenantPrefix   string       `help:"Text before the names of tenants."`
	RejectedTenant relay.Policy `help:"What becomes of series whose tenant a target refuses with 401, 403 or 404: fail (their sender is told, and gives them up) or drop." default:"fail"`
	DeadTenant     relay.Policy `help:"What becomes of series of a tenant for whom no target has answered for a while: fail (their sender keeps them, and all that it sends with them) or drop." default:"fail"`

	DeadTarget relay.Policy `help:"With --relay.replicate and without a queue, what becomes of series for a target that has not answered for a while: fail (their sender keeps them, for all targets) or drop (that target misses them)." default:"fail"`

	Metadata relay.Destination `help:"Where metadata of version 1 goes, which belongs to no series: default (the default tenant), broadcast (the tenants of the request or, if it has no series, of its sender) or drop." default:"default"`
	Rules    string            `help:"File of credentials, tenants and limits; it is read again when it changes." type:"path" placeholder:"FILE"`

	User         string `help:"User that targets are shown, by basic authentication." placeholder:"NAME"`
	PasswordFile string `help:"File of its password." type:"path" placeholder:"FILE"`
	TokenFile    string `help:"File of the token that targets are shown, as a bearer's." type:"path" placeholder:"FILE"`
	CA           string `help:"Certificates that the targets' are checked against, PEM; else the system's." name:"ca" type:"path" placeholder:"FILE"`
	Cert         string `help:"Certificate that targets are shown, PEM." type:"path" placeholder:"FILE"`
	Key          string `help:"Its key, PEM." type:"path" placeholder:"FILE"`

	Conns   int           `help:"Maximum connections per target." default:"2048"`
	ConnAge time.Duration `help:"Age at which connections are replaced, those to targets and those of senders, so that balancers get to spread them." default:"10m"`

	MaxBody    Size `help:"Bytes of a body, as received." default:"32MiB"`
	MaxDecoded Size `help:"Bytes of a body, decompressed." default:"32MiB"`
	MaxTenants int  `help:"Tenants in one request." default:"1000"`
	MaxSeries  int  `help:"Series in one request, which may have four times as many symbols." default:"250000"`

	Queue           string        `help:"Directory of a queue: senders are answered when it has their series on disk, and targets get them from there. Else when the targets have answered." type:"path" placeholder:"DIR"`
	QueueMax        Size          `help:"Bytes that may wait in the queue; beyond: 503." default:"16GiB"`
	QueueTenantMax  Size          `help:"Bytes of one tenant." default:"4GiB"`
	QueueDropOldest bool          `help:"Drop a tenant's oldest series instead of refusing its new ones."`
	QueueMaxAge     time.Duration `help:"Age at which --relay.queue-drop-oldest drops; 0: none." default:"0s"`
	QueueMemory     Size          `help:"Memory for what waits; beyond, it is read back from the disk." default:"64MiB"`
	QueueWorkers    int           `help:"Posts out of the queue at once." default:"32"`
}

// check says what is wrong with the settings of a service that listens at an address.
func (r *Relay) check(listen string) error {
	switch {
	case len(r.Target) == 0 && r.Queue != "":
		return errors.New("--relay.queue: a queue needs a --relay.target; without one, series land in Parquet")
	case (r.Cert == "") != (r.Key == ""):
		return errors.New("--relay.cert and --relay.key: give both, or neither")
	case r.User != "" && r.TokenFile != "":
		return errors.New("--relay.user and --relay.token-file: give one of them")
	case r.Replicate && len(r.Target) < 2:
		return errors.New("--relay.replicate: give two --relay.target at least")
	case r.DeadTarget == relay.Drop && !r.Replicate:
		return errors.New("--relay.dead-target=drop: it works with --relay.replicate only")
	case r.DeadTarget == relay.Drop && r.Queue != "":
		return errors.New("--relay.dead-target=drop: it works without --relay.queue only, which keeps the series for the target; bound it by --relay.queue-drop-oldest")
	case (r.User == "") != (r.PasswordFile == ""):
		return errors.New("--relay.user and --relay.password-file: give both, or neither")
	case strings.Contains(r.User, ":"):
		return errors.New("--relay.user: a name with a colon cannot be shown by basic authentication")
	case r.TenantMissing == relay.Fallback && r.TenantDefault == "":
		return errors.New("--relay.tenant-missing=default: there is no --relay.tenant-default")
	case r.RejectedTenant == relay.Fallback || r.DeadTenant == relay.Fallback || r.DeadTarget == relay.Fallback:
		return errors.New("--relay.rejected-tenant, --relay.dead-tenant and --relay.dead-target: fail or drop")
	case r.TenantRemove && slices.Contains(r.TenantLabel, "__name__"):
		return errors.New("--relay.tenant-remove: series cannot do without __name__, which --relay.tenant-label has")
	case r.TooMany != http.StatusTooManyRequests && r.TooMany != http.StatusServiceUnavailable:
		return fmt.Errorf("--relay.too-many=%d: it must be 429 or 503", r.TooMany)
	}
	if err := relay.CheckHeader(r.Header); err != nil {
		return fmt.Errorf("--relay.header=%s: %w", r.Header, err)
	}
	if err := relay.CheckLabels(r.TenantLabel); err != nil {
		return fmt.Errorf("--relay.tenant-label: %w", err)
	}
	for _, target := range r.Target {
		if IsSelf(target, listen) {
			return fmt.Errorf("--relay.target=%s: this is the relay itself, which listens on %s", target, listen)
		}
	}
	return r.checkQueue()
}

// queueCost is what an item of the queue counts for beside its body.
const queueCost = 128

func (r *Relay) checkQueue() error {
	switch {
	case r.QueueMaxAge > 0 && !r.QueueDropOldest:
		return errors.New("--relay.queue-max-age: it works with --relay.queue-drop-oldest only")
	case r.QueueDropOldest && r.Queue == "":
		return errors.New("--relay.queue-drop-oldest: there is no --relay.queue")
	case r.Queue == "":
		return nil
	}
	lines := Size(1)
	if r.Replicate {
		lines = Size(len(r.Target)) // each has its share of the bound
	}
	for flag, size := range map[string]Size{"queue-max": r.QueueMax / lines, "queue-tenant-max": r.QueueTenantMax} {
		if least := r.MaxBody + queueCost; size < least {
			return fmt.Errorf("--relay.%s=%d: it must be at least %d, for one request of --relay.max-body to fit in", flag, size, least)
		}
	}
	return nil
}
