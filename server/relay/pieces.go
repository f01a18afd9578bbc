package relay

import (
	"context"
	"fmt"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// pieces is the progress of an item that the target does not accept as a whole. Such an item is
// posted in pieces of whole series. A value of type pieces is used by only one worker at a time,
// because the items of a tenant are delivered one call after the other. The progress is lost when
// the process ends. In that case, the first pieces of the item are posted again.
type pieces struct {
	order uint64 // order of the item; 0 if there is no item
	tries int    // failed attempts with the whole item, where a smaller request might have passed
	cut   bool   // the item is posted in pieces
	next  int    // index of the first series that is not finished
	most  int    // maximum number of series in a piece
	lost  int    // number of rejected series
	text  string // error of the first rejected series
}

// triesWhole is the number of attempts with a whole item before it is split, if the target has not
// reported that the item is too large.
const triesWhole = 3

// of reports whether p is the progress of the item, and the item is posted in pieces.
func (p *pieces) of(it *queue.Item) bool { return p.cut && p.order == it.Order }

// begin is called after an attempt with the whole item. It decides whether the item is posted in
// pieces from now on, and reports whether the first piece can be posted immediately. After a rate
// limit or a late response, the pieces begin with the next delivery.
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

// tryPieces posts the rest of an item. A rejected series does not prevent the delivery of the
// other series.
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

// lose skips n rejected series.
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
