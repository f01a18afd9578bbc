package load

import (
	"fmt"
	"strings"
)

// PushReport contains the results that only runs of Remote Write have. The number of series is in
// the enclosing report.
type PushReport struct {
	Version          string  `json:"version"` // version of the protocol: 1.0 or 2.0
	Tenants          int     `json:"tenants"`
	Grouped          bool    `json:"grouped"`
	Acknowledged     Counts  `json:"acknowledged"`
	SamplesPerSecond float64 `json:"samples_per_second"` // rate of samples, including native histograms
	PlainPerRequest  int64   `json:"uncompressed_bytes_per_request"`
	PlainPerSecond   float64 `json:"uncompressed_bytes_per_second"` // for acknowledged requests

	CPUPerGB   *float64 `json:"cpu_seconds_per_gb"`       // CPU time of the server per GB of uncompressed bodies in acknowledged requests
	FloorPerGB *float64 `json:"floor_cpu_seconds_per_gb"` // CPU time that this process needs to decompress the same bodies and to compress them again
	FloorRatio *float64 `json:"cpu_by_floor"`             // CPUPerGB divided by FloorPerGB

	Delivered *DeliveryReport `json:"delivered,omitempty"`
}

// DeliveryReport contains the counts of the sink, compared with the acknowledged series.
type DeliveryReport struct {
	Requests  int64          `json:"requests"`
	Delivered Counts         `json:"delivered"`
	Looked    bool           `json:"looked_into_all"` // if false, the counts include only some of the requests
	Exact     bool           `json:"exact"`           // exactly the acknowledged series arrived, for each tenant
	Lost      []string       `json:"lost"`            // tenants for which fewer series arrived than were acknowledged
	Unknown   []string       `json:"unknown_tenants"` // tenants for which series arrived although none were sent
	Misrouted int64          `json:"misrouted_series"`
	Waited    float64        `json:"waited_seconds"`
	Tenants   []TenantReport `json:"tenants"`
}

// TenantReport contains the acknowledged and the delivered counts of a tenant.
type TenantReport struct {
	Tenant       string `json:"tenant"`
	Acknowledged Counts `json:"acknowledged"`
	Delivered    Counts `json:"delivered"`
}

func (p *PushReport) what(compress string) string {
	order := "mixed"
	if p.Grouped {
		order = "grouped"
	}
	return fmt.Sprintf("Remote Write %s, compression %s, %d tenants %s", p.Version, compress, p.Tenants, order)
}

func (p *PushReport) lines() []line {
	lines := []line{
		{"contents", append(p.Acknowledged.texts(), perSecond(p.SamplesPerSecond, "samples"))},
		{"uncompressed", []string{fmt.Sprintf("%.3f GB/s", p.PlainPerSecond/1e9), grouped(p.PlainPerRequest) + " bytes a request"}},
	}
	if p.CPUPerGB != nil {
		lines = append(lines, line{"server", []string{fmt.Sprintf("%.2f CPU-s per GB uncompressed", *p.CPUPerGB)}})
	}
	if p.FloorPerGB != nil {
		floor := []string{fmt.Sprintf("%.2f CPU-s per GB to decompress and compress again", *p.FloorPerGB)}
		if p.FloorRatio != nil {
			floor = append(floor, fmt.Sprintf("the server takes %.2f times that", *p.FloorRatio))
		}
		lines = append(lines, line{"floor", floor})
	}
	if p.Delivered != nil {
		lines = append(lines, p.Delivered.lines()...)
	}
	return lines
}

// shownTenants is the maximum number of tenants with losses that the text names.
const shownTenants = 10

func (d *DeliveryReport) lines() []line {
	verdict := "exactly the acknowledged series"
	switch {
	case !d.Looked:
		verdict = "not compared: the sink decoded only some bodies"
	case len(d.Lost) > 0:
		verdict = fmt.Sprintf("LOST: %d tenants received less than was acknowledged", len(d.Lost))
	case !d.Exact:
		verdict = "all acknowledged series, and some of them again"
	}
	lines := []line{{"delivered", append(d.Delivered.texts(), grouped(d.Requests)+" requests", verdict)}}
	shown := 0
	for _, t := range d.Tenants {
		if !d.Looked || t.Delivered.holds(t.Acknowledged) {
			continue
		}
		if shown++; shown > shownTenants {
			break
		}
		lines = append(lines, line{"LOST for " + t.Tenant, []string{
			"delivered " + strings.Join(t.Delivered.texts(), ", "), "acknowledged " + strings.Join(t.Acknowledged.texts(), ", "),
		}})
	}
	return lines
}

func (c Counts) texts() []string {
	texts := []string{grouped(c.Series) + " series", grouped(c.Samples) + " samples"}
	if c.Histograms > 0 || c.Exemplars > 0 {
		texts = append(texts, grouped(c.Histograms)+" histograms", grouped(c.Exemplars)+" exemplars")
	}
	return texts
}
