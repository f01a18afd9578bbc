package relay

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// FuzzRelay sends arbitrary requests. The response has a documented status, and no 5xx while the
// target accepts all posts. Each post can be decoded, contains only series of its tenant, and
// contains no bytes of other requests.
func FuzzRelay(f *testing.F) {
	one := &remotewrite.Request{Series: []remotewrite.Series{of("a", 1), of("b", 2), of("a", 3)}, Metadata: about("m")}
	for _, version := range versions {
		plain := remotewrite.Append(nil, version, one)
		for head := range uint8(64) {
			f.Add(plain, head, "application/x-protobuf", "1")
		}
		f.Add(s2.EncodeSnappy(nil, plain), uint8(2), "", "")
		f.Add(zstdOf(plain), uint8(3), "", "")
	}
	f.Add(sharedSymbol(5, 1000), uint8(4), "a/b;c=d", "x")
	const secret = "the text of another's request"
	var t *testing.T
	var sent []byte
	target := newSink(f)
	target.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, plain, err := received(r)
		if err != nil {
			t.Error(err)
		}
		for _, s := range p.request.Series {
			if id := labelOf(s.Labels, "__tenant__"); id != p.tenant && id != "" {
				t.Errorf("%q got %s", p.tenant, labelsOf(s.Labels))
			}
		}
		if p.tenant != "victim" && bytes.Contains(plain, []byte(secret)) && !bytes.Contains(sent, []byte(secret)) {
			t.Errorf("%q got %q", p.tenant, plain)
		}
		w.Header().Set(samplesHeader, "1")
		w.WriteHeader(http.StatusNoContent)
	})
	relays := make([]*rig, 2)
	for i := range relays {
		relays[i] = newRig(f, Options{
			Targets: []string{target.URL}, Tenants: Tenants{Remove: i == 1, Default: "d", Missing: Policy(i) * Fallback}, Metadata: ToAll,
			Bounds: Bounds{Decoded: 1 << 20},
			Rules:  rulesFile(f, `{"tenants": {"*": {"labels_per_series": 20, "active_series": 1000}}}`),
		})
	}
	victim := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{
		seriesWith(1, "__name__", "up", "__tenant__", "victim", "text", strings.Repeat(secret, 50)), of("victim2", 1),
	}}))
	f.Fuzz(func(tt *testing.T, body []byte, head uint8, contentType, attempt string) {
		t, sent = tt, body
		r := relays[head>>5&1]
		if w := r.serve(victim); w.Code != 204 {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
		switch head & 3 { // otherwise uncompressed
		case 0:
			body = s2.EncodeSnappy(nil, body)
		case 1:
			body = zstdEncoder.EncodeAll(body, nil)
		}
		header := []string{"Content-Encoding", Encoding(head & 1).String(), attemptHeader, attempt}
		switch head >> 2 & 3 {
		case 0:
			header = append(header, "Content-Type", contentTypes[remotewrite.V1])
		case 1:
			header = append(header, "Content-Type", contentTypes[remotewrite.V2])
		case 2:
			header = append(header, "Content-Type", contentType)
		}
		if head>>4&1 == 1 {
			header = append(header, vmVersionHeader, "1")
		}
		w := r.serve(body, header...)
		switch w.Code {
		case 204, 400, 409, 413, 415:
		default:
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		if w.Body.Len() > 1<<10 || strings.ContainsFunc(strings.TrimSuffix(w.Body.String(), "\n"), func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%q", w.Body)
		}
		if r.o.Flight.Used() != 0 {
			t.Errorf("%d bytes of the budget are still held", r.o.Flight.Used())
		}
	})
}
