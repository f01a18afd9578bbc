package load

import (
	"context"
	"time"
)

// ingest implements protocol for rows.
type ingest struct {
	lander *lander
	patch  *float64
	landed *LandedReport
}

func (i *ingest) sources(ctx context.Context, r *run) (sources []source, err error) {
	o := &r.options
	if o.Format == "schema" {
		if err := r.target.register(ctx); err != nil {
			return nil, err
		}
	}
	if o.Source == "proc" {
		p, err := newProc(r.proc, r.target, o)
		if err != nil {
			return nil, err
		}
		sources = []source{p}
	} else if sources, err = i.synthetic(r); err != nil {
		return nil, err
	}
	i.lander = &lander{target: r.target, dir: o.DataDir}
	if o.DataDir != "" {
		i.lander.count = o.CountRows
		err = i.lander.baseline(ctx)
	}
	return sources, err
}

func (i *ingest) synthetic(r *run) (sources []source, err error) {
	all, err := newSynthetic(r.target, &r.options, time.Now())
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		sources = append(sources, s)
	}
	if all[0].clocks != nil {
		cost := patchCost(all[0].requests).Seconds()
		i.patch = &cost
	}
	return sources, nil
}

// settle waits until the acknowledged rows are in files, and counts the rows in the files.
func (i *ingest) settle(ctx context.Context, r *run) error {
	if r.server == nil && i.lander.count == nil {
		return nil
	}
	begin := time.Now()
	how, done, err := i.lander.drain(ctx, r.tally.acknowledged)
	if err != nil || i.lander.count == nil {
		return err
	}
	n, err := i.lander.rows()
	if err != nil {
		return err
	}
	i.landed = &LandedReport{
		Rows:      n,
		PerSecond: float64(n) / done.Sub(r.started).Seconds(),
		Missing:   r.tally.acknowledged - n,
		Drain:     done.Sub(begin).Seconds(),
		How:       how,
	}
	return nil
}

func (i *ingest) report(r *run, report *Report) {
	o := &r.options
	report.Source, report.Endpoint, report.Format, report.Durability = o.Source, o.Endpoint, o.Format, o.Durability
	report.Tables = len(procTables)
	if o.Source == "synthetic" {
		report.Tables = o.Tables
	}
	report.PatchSeconds, report.Landed = i.patch, i.landed
}
