package relay

import (
	"context"
	"fmt"
	"math"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// pieces is how far the delivery of an item has come that a target does not take as a whole: it
// goes in pieces of whole series. One worker at a time uses it, since a tenant's items are
// delivered one call after the other. It is lost with the process; then the item's first pieces are
// posted again.
type pieces struct {
	order uint64 // of the item; 0: none
	tries int    // of the whole item that a smaller request might have passed
	cut   bool   // it goes in pieces
	next  int    // series before it are done with
	most  int    // series in a piece
	lost  int    // series that were refused
	text  string // why the first of them was
}

// triesWhole is how often an item is tried before it is cut, where its size is not known to be the
// reason.
const triesWhole = 3

// of reports whether it goes in pieces.
func (p *pieces) of(it *queue.Item) bool { return p.cut && p.order == it.Order }

// begin reports whether it goes in pieces from now on, since the target did not take it whole.
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

// postPieces posts what is left of an item. A series that is refused does not keep the others from
// their target.
func (r *Relay) postPieces(ctx context.Context, t *tenant, it *queue.Item) result {
	plain, err := encodingIn(it.Codec).decode(it.Body, math.MaxInt32, func(int) error { return nil })
	if err != nil {
		return result{verdict: refused, text: fmt.Sprintf("the item cannot be decompressed: %v", err)}
	}
	defer plain.free()
	whole := decoded.Get().(*remotewrite.Request)
	defer decoded.Put(whole)
	defer whole.Reset()
	version := versionIn(it.Codec)
	if err := remotewrite.DecodeView(plain.b, version, whole); err != nil {
		return result{verdict: refused, text: fmt.Sprintf("the item cannot be decoded: %v", err)}
	}
	p := &t.pieces
	for p.next < len(whole.Series) {
		n := min(p.most, len(whole.Series)-p.next)
		piece := remotewrite.Request{Series: whole.Series[p.next:][:n]}
		if p.next == 0 {
			piece.Metadata = whole.Metadata
		}
		res := r.postPiece(ctx, t, version, &piece)
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
		return result{verdict: refused, text: fmt.Sprintf("%d of %d series: %s", p.lost, len(whole.Series), p.text)}
	}
	return result{verdict: taken}
}

// lose passes over n series that were refused.
func (p *pieces) lose(n int, text string) {
	if p.lost == 0 {
		p.text = text
	}
	p.lost += n
	p.next += n
}

func (r *Relay) postPiece(ctx context.Context, t *tenant, version remotewrite.Version, piece *remotewrite.Request) result {
	ctx, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	one := &parcel{tenant: t, version: version, plain: remotewrite.Append(nil, version, piece), ctx: ctx}
	one.bytes = len(one.plain)
	for i := range piece.Series {
		s := &piece.Series[i]
		one.counts.add(counts{1, int64(len(s.Samples)), int64(len(s.Histograms)), int64(len(s.Exemplars))})
	}
	return r.post(t, []*parcel{one})
}
