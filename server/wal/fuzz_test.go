package wal

import (
	"bytes"
	"io"
	"testing"
)

func FuzzReadRecord(f *testing.F) {
	for i := range 4 {
		r := sample(i)
		r.Seq = uint64(i + 1)
		f.Add(appendRecord(nil, r, 7), uint32(7))
	}
	f.Add(appendRecord(nil, newGap(5, 9), 0), uint32(0))
	f.Fuzz(func(t *testing.T, b []byte, salt uint32) {
		var r Record
		h, err := readRecord(b, salt, &r)
		if err != nil {
			return
		}
		if h.size > int64(len(b)) || h.size%align != 0 || r.due() <= r.Seq {
			t.Fatalf("a record of %d bytes from %d, number %d before %d", h.size, len(b), r.Seq, r.due())
		}
		names := append([]byte(r.DB), r.Table...)
		again := appendHeader(nil, &r, bodySum(names, r.Payload), salt, h.nth)
		again = appendPadding(append(append(again, names...), r.Payload...), len(names)+len(r.Payload))
		if !bytes.Equal(again, b[:h.size]) {
			t.Fatalf("read and appended again\n%x, was\n%x", again, b[:h.size])
		}
	})
}

// sized records the length of the longest read.
type sized struct {
	io.ReaderAt
	most int
}

func (s *sized) ReadAt(b []byte, off int64) (int, error) {
	s.most = max(s.most, len(b))
	return s.ReaderAt.ReadAt(b, off)
}

func FuzzOpenSegment(f *testing.F) {
	img, places := smallLog(f)
	for _, b := range img {
		f.Add(b)
		for _, p := range places {
			if p.file == places[0].file {
				bad := bytes.Clone(b)
				clear(bad[p.off:min(p.off+4, int64(len(bad)))])
				f.Add(bad)
			}
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s segment
		if err := s.parseHeader(b[:min(len(b), segmentHeader)]); err != nil || s.start == 0 {
			return
		}
		file := &sized{ReaderAt: bytes.NewReader(b)}
		sc := newScanner(file, int64(len(b)), &s)
		due := s.start
		for {
			for sc.scan() {
				if sc.rec.Seq < due {
					t.Fatalf("record %d where %d is due", sc.rec.Seq, due)
				}
				due = sc.next
			}
			if sc.reason == nil || !sc.resync() {
				break
			}
		}
		if sc.err != nil || file.most > len(b) || cap(sc.win.buf) > 2*len(b)+64 {
			t.Fatalf("%v; %d bytes read at once, a window of %d, of %d", sc.err, file.most, cap(sc.win.buf), len(b))
		}
	})
}
