package load

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// sinkPoll is the interval between queries of the sink's counts.
const sinkPoll = 100 * time.Millisecond

// delivery compares the acknowledged series with the series that a sink has received.
type delivery struct {
	url    string
	settle time.Duration
	before *SinkCounts
	report *DeliveryReport
}

func (d *delivery) baseline(ctx context.Context) (err error) {
	d.before, err = d.ask(ctx)
	return err
}

// ask returns the sink's current counts.
func (d *delivery) ask(ctx context.Context) (*SinkCounts, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(d.url, "/")+countsPath, nil)
	if err != nil {
		return nil, fmt.Errorf("--sink %q: %w", d.url, err)
	}
	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("getting the sink's counts: start the sink with `slipctl sink`: %w", err)
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("getting the sink's counts: %s answered %s", request.URL, reply.Status)
	}
	c := new(SinkCounts)
	if err := json.NewDecoder(reply.Body).Decode(c); err != nil {
		return nil, fmt.Errorf("getting the sink's counts from %s: %w", request.URL, err)
	}
	return c, nil
}

// wait queries the sink until the content of all requests has arrived. It gives up when no request
// has arrived for the time d.settle.
func (d *delivery) wait(ctx context.Context, contents map[string]Counts, requests int64) error {
	begin := time.Now()
	last, moved := int64(-1), begin
	for {
		now, err := d.ask(ctx)
		if err != nil {
			return err
		}
		d.report = d.compare(now, contents, requests)
		d.report.Waited = time.Since(begin).Seconds()
		if now.Requests != last {
			last, moved = now.Requests, time.Now()
		}
		if len(d.report.Lost) == 0 && d.report.Looked || time.Since(moved) >= d.settle {
			return nil
		}
		if err := sleep(ctx, sinkPoll); err != nil {
			return err
		}
	}
}

// compare compares the sink's counts since the baseline with the content of the acknowledged
// requests.
func (d *delivery) compare(now *SinkCounts, contents map[string]Counts, requests int64) *DeliveryReport {
	r := &DeliveryReport{
		Requests:  now.Requests - d.before.Requests,
		Looked:    now.Requests-d.before.Requests == now.Looked-d.before.Looked,
		Misrouted: now.Misrouted - d.before.Misrouted,
		Exact:     true,
	}
	for _, tenant := range slices.Sorted(maps.Keys(contents)) {
		t := TenantReport{Tenant: tenant, Delivered: now.Tenants[tenant]}
		t.Delivered.add(d.before.Tenants[tenant], -1)
		t.Acknowledged.add(contents[tenant], requests)
		r.Delivered.add(t.Delivered, 1)
		r.Exact = r.Exact && t.Delivered == t.Acknowledged
		r.Tenants = append(r.Tenants, t)
		if !t.Delivered.holds(t.Acknowledged) {
			r.Lost = append(r.Lost, tenant)
		}
	}
	for tenant, c := range now.Tenants {
		if _, known := contents[tenant]; !known && c != d.before.Tenants[tenant] {
			r.Unknown = append(r.Unknown, tenant)
		}
	}
	slices.Sort(r.Unknown)
	return r
}

// verdict returns an error if acknowledged series of a tenant are missing, or if a tenant has
// received series of another tenant. It also returns an error if more series arrived than were
// sent. The argument `again` is the number of repeated requests. If it is not 0, series may arrive
// twice.
func (r *DeliveryReport) verdict(again int64) error {
	switch {
	case r.Misrouted > 0:
		return fmt.Errorf("MISROUTED: the sink received %s series under the name of another tenant", grouped(r.Misrouted))
	case len(r.Unknown) > 0:
		return fmt.Errorf("MISROUTED: the sink received series of tenants that this run does not have: %s", firstOf(r.Unknown))
	case !r.Looked:
		return nil // the sink has decoded only some of the bodies
	case len(r.Lost) > 0:
		return fmt.Errorf("LOST: the sink received less than was acknowledged, for %d tenants: %s", len(r.Lost), firstOf(r.Lost))
	case !r.Exact && again == 0:
		return fmt.Errorf("the sink received more series than were sent, although no request was repeated")
	}
	return nil
}

// firstOf returns the first few names of a list.
func firstOf(names []string) string {
	const few = 5
	if len(names) > few {
		return strings.Join(names[:few], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}
