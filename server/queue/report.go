package queue

// The service's log reports lost items and failed deliveries, once a second for each reason. A
// report contains their number, and one tenant as an example.

// blame contains the example for the next report.
type blame struct {
	tenant   string
	err      error
	reported int64 // number of items up to the last report
}

var messages = [outcomes + 1]string{
	refused: "queue: items were refused and are lost",
	tooOld:  "queue: items have waited too long and were dropped",
	tooMany: "queue: items were dropped to make room for new ones",
	damaged: "queue: items cannot be read from the log and are lost",
	retried: "queue: deliveries failed and will be tried again",
}

// blame sets the example for the next report.
func (q *Queue) blame(why outcome, t *tenant, err error) {
	q.blamed[why].tenant, q.blamed[why].err = t.name, err
}

// report logs the lost items and failed deliveries since the last report.
func (q *Queue) report() {
	for why, message := range messages {
		q.mu.Lock()
		b, n := &q.blamed[why], q.retries
		if why < int(outcomes) {
			n = q.counts[why].Items
		}
		more, tenant, err := n-b.reported, b.tenant, b.err
		b.reported, b.err = n, nil
		q.mu.Unlock()
		if more > 0 && message != "" {
			q.o.Logger.Warn(message, "count", more, "for_example", tenant, "error", err)
		}
	}
}
