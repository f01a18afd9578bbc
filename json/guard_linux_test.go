package json

import (
	"bytes"
	"encoding/json"
	"reflect"
	"syscall"
	"testing"
)

// Decoding does not read beyond the document: the documents end at the end of a page, and the next
// page is not readable.
func TestGuardPage(t *testing.T) {
	page := syscall.Getpagesize()
	all, err := syscall.Mmap(-1, 0, 3*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(all)
	if err := syscall.Mprotect(all[2*page:], syscall.PROT_NONE); err != nil {
		t.Skip(err)
	}
	end := all[: 2*page : 2*page]
	for _, doc := range edgeDocuments() {
		for cut := len(doc); cut >= max(0, len(doc)-300); cut -= 7 {
			b := end[len(end)-cut:]
			copy(b, doc)
			var got, want any
			if err, wantErr := Unmarshal(b, &got), json.Unmarshal(b, &want); !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: %v, %v; want %v, %v", b, got, err, want, wantErr)
			}
			var e edge
			Unmarshal(b, &e)
			Parse(b, &e, ZeroCopy|UseInt64)
			Valid(b)
			Compact(new(bytes.Buffer), b)
			Marshal(RawMessage(b))
			Get(b, "more", 0)
			NewDecoder(&slowReader{b: b, n: 50}).Decode(&e)
		}
	}
}

// slowReader returns up to n bytes from each Read.
type slowReader struct {
	b []byte
	n int
}

func (r *slowReader) Read(p []byte) (int, error) {
	n := copy(p, r.b[:min(r.n, len(r.b))])
	r.b = r.b[n:]
	if n == 0 {
		return 0, errSlow
	}
	return n, nil
}

var errSlow = syscall.EPIPE
