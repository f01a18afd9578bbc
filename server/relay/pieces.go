package relay

import (
	"context"
	"fmt"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// pieces is the progress of one item that is posted in pieces. If the target does not accept an
// item as a whole, the relay splits it into pieces that consist of whole series. Only one goroutine
// at a time uses a value of type pieces, because the items of a tenant are delivered one after the
// other. The progress is lost when the process ends. After a restart, pieces that were already
// posted are posted again.
type pieces struct {
	order uint64 // order of the item; 0 if there is no item
	tries int    // attempts with the whole item that failed although a smaller request might have succeeded
	cut   bool   // the item is posted in pieces
	next  int    // index of the first series that is not finished
	most  int    // maximum number of series in a piece
	lost  int    // number of rejected series
	text  string // error of the first rejected series
}

// triesWhole is the number of attempts to post a whole item before the relay splits it. If the
// target reports that the item is too large, the relay splits the item immediately.
const triesWhole = 3

// The method of reports whether the item is posted in pieces and p is its progress.
func (p *pieces) of(it *queue.Item) bool { return p.cut && p.order == it.Order }

// begin decides, after an attempt to post the whole item, whether the item is posted in pieces from
// now on. It reports whether the first piece can be posted immediately. After a rate limit or a
// late response, the first piece must wait for the next delivery.
func (p *pieces) begin(it *queue.Item, res *result) bool {
	if p.order != it.Order {
		*p = pieces{order: it.Order}
	}
	if !res.smaller() || it.Note[0] < 2 {
		return false
	}
	if p.tries++; !res.tooLarge() && p.tries < triesWhole {
		return false
	}
	p.cut, p.most = true, int(it.Note[0]+1)/2
	return res.tooLarge()
}

// tryPieces posts the remaining pieces of an item. If the target rejects a series, tryPieces still
// delivers the other series.
func (r *Relay) tryPieces(ctx context.Context, t *tenant, it *queue.Item) result {
	plain, err := encodingIn(it.Codec).decode(it.Body)
	if err != nil {
		return result{verdict: refused, text: fmt.Sprintf("the queued item cannot be decompressed: %v", err)}
	}
	defer plain.Free()
	whole := decoded.Get().(*remotewrite.Request)
	defer decoded.Put(whole)
	defer whole.Reset()
	version := versionIn(it.Codec)
	if err := remotewrite.DecodeView(plain.B, version, whole); err != nil {
		return result{verdict: refused, text: fmt.Sprintf("the queued item cannot be decoded: %v", err)}
	}
	p := &t.pieces
	for p.next < len(whole.Series) {
		n := min(p.most, len(whole.Series)-p.next)
		piece := remotewrite.Request{Series: whole.Series[p.next:][:n]}
		if p.next == 0 {
			piece.Metadata = whole.Metadata
		}
		res := r.tryPiece(ctx, t, version, &piece)
		switch {
		case res.verdict == taken:
			p.next += n
		case res.tooLarge() && n > 1:
			p.most = n / 2
		case res.verdict == refused:
			p.lose(n, res.text)
		default:
			if res.smaller() {
				p.most = max(n/2, 1)
			}
			return res
		}
	}
	if p.lost > 0 {
		return result{verdict: refused, text: fmt.Sprintf("%d of %d series were rejected: %s", p.lost, len(whole.Series), p.text)}
	}
	return result{verdict: taken}
}

// lose counts the next n series as rejected, and skips them.
func (p *pieces) lose(n int, text string) {
	if p.lost == 0 {
		p.text = text
	}
	p.lost += n
	p.next += n
}

func (r *Relay) tryPiece(ctx context.Context, t *tenant, version remotewrite.Version, piece *remotewrite.Request) result {
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	one := &parcel{tenant: t, version: version, plain: remotewrite.Append(nil, version, piece), ctx: ctx}
	one.bytes = len(one.plain)
	for i := range piece.Series {
		s := &piece.Series[i]
		one.counts.add(counts{1, int64(len(s.Samples)), int64(len(s.Histograms)), int64(len(s.Exemplars))})
	}
	return r.try(t, []*parcel{one})
}
