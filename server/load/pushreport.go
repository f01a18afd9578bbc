package load

import (
	"fmt"
	"strings"
)

// PushReport is what a run of Remote Write adds to the report. Series are counted there.
type PushReport struct {
	Version          string  `json:"version"` // of the protocol: 1.0 or 2.0
	Tenants          int     `json:"tenants"`
	Grouped          bool    `json:"grouped"`
	Acknowledged     Counts  `json:"acknowledged"`
	SamplesPerSecond float64 `json:"samples_per_second"` // native histograms among them
	PlainPerRequest  int64   `json:"uncompressed_bytes_per_request"`
	PlainPerSecond   float64 `json:"uncompressed_bytes_per_second"` // of acknowledged requests

	CPUPerGB   *float64 `json:"cpu_seconds_per_gb"`       // of the server, by what was acknowledged, before compression
	FloorPerGB *float64 `json:"floor_cpu_seconds_per_gb"` // of this process, to decompress the same bodies and compress them again
	FloorRatio *float64 `json:"cpu_by_floor"`             // of these two

	Delivered *DeliveryReport `json:"delivered,omitempty"`
}

// DeliveryReport is what has come to the sink.
type DeliveryReport struct {
	Requests  int64          `json:"requests"`
	Delivered Counts         `json:"delivered"`
	Looked    bool           `json:"looked_into_all"` // else the counts are of some of the requests only
	Exact     bool           `json:"exact"`           // each tenant has what was acknowledged, and no more
	Lost      []string       `json:"lost"`            // tenants that have less
	Unknown   []string       `json:"unknown_tenants"` // those of whom nothing was sent
	Misrouted int64          `json:"misrouted_series"`
	Waited    float64        `json:"waited_seconds"`
	Tenants   []TenantReport `json:"tenants"`
}

// TenantReport is what was acknowledged of a tenant's, and what has come of it.
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

// shownTenants is how many of the tenants that lost something the text names.
const shownTenants = 10

func (d *DeliveryReport) lines() []line {
	verdict := "all that was acknowledged, and no more"
	switch {
	case !d.Looked:
		verdict = "the sink has looked into some only: not compared"
	case len(d.Lost) > 0:
		verdict = fmt.Sprintf("LOST: %d tenants have less than was acknowledged", len(d.Lost))
	case !d.Exact:
		verdict = "all that was acknowledged, and some of it again"
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
		lines = append(lines, line{"LOST of " + t.Tenant, []string{
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
