package load

import (
	"context"
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// push implements the interface protocol for Remote Write, whose requests contain series.
type push struct {
	contents map[string]Counts // counts of one request, by tenant
	each     Counts            // counts of one request for all tenants together
	floor    *floor
	delivery *delivery // nil if there is no sink
}

// step is the difference between the times of successive requests of a worker.
const step = time.Second

// sources builds the requests of all workers. All times are in the past, because a receiver may
// reject times in the future.
func (p *push) sources(ctx context.Context, r *run) ([]source, error) {
	o := &r.options
	p.contents = o.RemoteWrite.contents()
	for _, c := range p.contents {
		p.each.add(c, 1)
	}
	packing, err := newPacking(o.Compress)
	if err != nil {
		return nil, err
	}
	p.floor = &floor{own: r.own.process, turn: floorTurn, packing: packing}
	if o.Duration > 0 {
		p.floor.turn = min(floorTurn, o.Duration)
	}
	now := time.Now()
	sources := make([]source, o.Workers)
	b := pushBuilder{target: r.target, version: remotewrite.Version(o.RemoteWrite.Version), packing: packing}
	for w := range sources {
		f := newFleet(&o.RemoteWrite, uint64(w))
		n := (w+1)*o.requests()/o.Workers - w*o.requests()/o.Workers
		s := &synthetic{requests: make([]*request, n)}
		for i := range s.requests {
			s.requests[i] = b.build(f.at(now.Add(time.Duration(i-n) * step).UnixMilli()))
		}
		p.floor.bodies = append(p.floor.bodies, s.requests...)
		sources[w] = s
	}
	if o.RemoteWrite.Sink != "" {
		p.delivery = &delivery{url: o.RemoteWrite.Sink, settle: o.RemoteWrite.Settle}
		if err := p.delivery.baseline(ctx); err != nil {
			return nil, err
		}
	}
	return sources, p.floor.measure(ctx)
}

// pushBuilder builds Remote Write requests. It is not safe for concurrent use.
type pushBuilder struct {
	target        *target
	version       remotewrite.Version
	packing       *packing
	plain, packed []byte
}

// build returns the request that writes the series.
func (b *pushBuilder) build(series *remotewrite.Request) *request {
	b.plain = remotewrite.Append(b.plain[:0], b.version, series)
	b.packed = b.packing.pack(b.packed, b.plain)
	head := b.target.appendPost(nil, "", b.headers(), len(b.packed))
	wire := append(head, b.packed...)
	return &request{wire: wire, body: wire[len(head):], plain: len(b.plain), rows: len(series.Series)}
}

// headers returns the headers that Prometheus sends. With zstd, it returns the headers that vmagent
// sends.
func (b *pushBuilder) headers() string {
	h := "Content-Encoding: " + b.packing.name + "\r\n"
	switch {
	case b.version == remotewrite.V2:
		return h + "Content-Type: " + contentTypeV2 + "\r\nX-Prometheus-Remote-Write-Version: 2.0.0\r\n"
	case b.packing.name == "zstd":
		return h + "Content-Type: " + contentType + "\r\nX-VictoriaMetrics-Remote-Write-Version: 1\r\n"
	}
	return h + "Content-Type: " + contentType + "\r\nX-Prometheus-Remote-Write-Version: 0.1.0\r\n"
}

const (
	contentType   = "application/x-protobuf"
	contentTypeV2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request"
)

// settle waits until the acknowledged series have been delivered. It also measures the floor once
// more, because the machine's speed may have changed.
func (p *push) settle(ctx context.Context, r *run) error {
	if p.delivery != nil {
		if err := p.delivery.wait(ctx, p.contents, p.acknowledged(r)); err != nil {
			return err
		}
	}
	return p.floor.measure(ctx)
}

// acknowledged returns the number of acknowledged requests.
func (p *push) acknowledged(r *run) int64 { return r.tally.acknowledged / p.each.Series }

func (p *push) report(r *run, report *Report) {
	o, t := &r.options, r.tally
	n := p.acknowledged(r)
	seconds := r.sent.Seconds()
	push := &PushReport{
		Version: fmt.Sprintf("%d.0", o.RemoteWrite.Version), Tenants: o.RemoteWrite.Tenants, Grouped: o.RemoteWrite.Grouped,
		FloorPerGB: p.floor.least,
	}
	push.Acknowledged.add(p.each, n)
	push.SamplesPerSecond = float64(push.Acknowledged.Samples+push.Acknowledged.Histograms) / seconds
	push.PlainPerSecond = float64(t.plain) / seconds
	if n > 0 {
		push.PlainPerRequest = t.plain / n
	}
	if r.server != nil && r.server.problem == nil && t.plain > 0 {
		perGB := (r.server.after - r.server.before) / float64(t.plain) * 1e9
		push.CPUPerGB = &perGB
		if p.floor.least != nil {
			ratio := perGB / *p.floor.least
			push.FloorRatio = &ratio
		}
	}
	if p.delivery != nil {
		push.Delivered = p.delivery.report
	}
	report.RemoteWrite = push
}
