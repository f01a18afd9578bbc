package wal

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/server/disk"
)

const (
	suffix          = ".wal"
	tempSuffix      = ".tmp"
	damagedSuffix   = ".damaged"
	magic           = "slip.wal"
	version         = 1
	segmentHalf     = 32              // one copy of the header
	segmentHeader   = 2 * segmentHalf // both copies
	segmentSumStart = 28
)

// segment is a file of the log.
type segment struct {
	path   string
	number uint64

	start uint64 // sequence number that is expected at its beginning
	next  uint64 // sequence number that is expected after its end; start ≤ next
	salt  uint32
	end   int64 // offset after its last record
	size  int64 // size of the file; segmentHeader ≤ end ≤ size, unless the header cannot be read

	flawed  bool // a copy of its header is bad
	damaged bool // Repair must rewrite it
}

func segmentPath(dir string, number uint64) string {
	return filepath.Join(dir, fmt.Sprintf("%08d%s", number, suffix))
}

// listSegments finds the segments of dir, oldest first, and reads their headers. A segment whose
// header cannot be read has start 0.
func listSegments(d disk.Disk, dir string) ([]*segment, error) {
	entries, err := d.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("wal: %w", err)
	}
	var segs []*segment
	for _, e := range entries {
		digits, ok := strings.CutSuffix(e.Name(), suffix)
		number, err := strconv.ParseUint(digits, 10, 64)
		s := &segment{path: segmentPath(dir, number), number: number}
		if !ok || err != nil || filepath.Base(s.path) != e.Name() {
			continue // not ours
		}
		if err := s.readHeader(d); err != nil {
			return nil, err
		}
		segs = append(segs, s)
	}
	slices.SortFunc(segs, func(a, b *segment) int { return cmp.Compare(a.number, b.number) })
	return segs, nil
}

// readHeader sets the field `size`, and the fields that the header contains. One intact copy of the
// header is enough.
func (s *segment) readHeader(d disk.Disk) error {
	f, err := d.Open(s.path, os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	s.size = info.Size()
	s.end = min(segmentHeader, s.size)
	b := make([]byte, s.end)
	if _, err := f.ReadAt(b, 0); err != nil && len(b) > 0 {
		return fmt.Errorf("wal: %w", err)
	}
	return s.parseHeader(b)
}

func (s *segment) parseHeader(b []byte) error {
	good := 0
	for len(b) >= segmentHalf {
		half := b[:segmentHalf]
		b = b[segmentHalf:]
		sum := binary.LittleEndian.Uint32(half[segmentSumStart:])
		first := binary.LittleEndian.Uint64(half[16:])
		if !bytes.HasPrefix(half, []byte(magic)) || crc32.Checksum(half[:segmentSumStart], castagnoli) != sum || first == 0 {
			continue
		}
		if v := binary.LittleEndian.Uint16(half[8:]); v != version {
			return fmt.Errorf("wal: %s has format version %d, which is not supported (this program reads %d); use the program version that wrote the file", s.path, v, version)
		}
		good++
		s.salt, s.start = binary.LittleEndian.Uint32(half[12:]), first
	}
	s.next = s.start
	s.flawed = good < 2
	return nil
}

func appendSegmentHeader(b []byte, first uint64, salt uint32) []byte {
	at := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, version)
	b = append(b, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, salt)
	b = binary.LittleEndian.AppendUint64(b, first)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
	return append(b, b[at:]...)
}

// createSegment creates an empty segment, from a spare if there is one. It allocates `size` bytes,
// if the file system has enough space. The file gets the segment's name only when it is complete.
// When createSegment returns without an error, the segment is durable under that name.
func createSegment(d disk.Disk, from *spares, dir string, number, first uint64, size int64) (*segment, disk.File, error) {
	s := &segment{path: segmentPath(dir, number), number: number, start: first, next: first, salt: newSalt(), end: segmentHeader}
	f, temp := from.take(size)
	err := error(nil)
	if f == nil {
		temp = s.path + tempSuffix
		if f, err = d.Open(temp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, disk.FileMode()); err != nil {
			return nil, nil, err
		}
		err = preallocate(f, 0, size)
	}
	err = func() error {
		if err != nil {
			return err
		}
		if _, err := f.WriteAt(appendSegmentHeader(nil, first, s.salt), 0); err != nil {
			return err
		}
		return publish(d, f, temp, s.path)
	}()
	if err != nil {
		f.Close()
		d.Remove(temp)
		return nil, nil, err
	}
	return s, f, nil
}

// publish durably renames a finished file from the path `temp` to the path `path`.
func publish(d disk.Disk, f disk.File, temp, path string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	if err := d.Rename(temp, path); err != nil {
		return err
	}
	if err := d.SyncDir(filepath.Dir(path)); err != nil {
		// The error is not wrapped, because the file already has its name. So even if the disk is
		// full, a caller cannot continue as if the file did not exist.
		return fmt.Errorf("syncing the directory of %s: %v", path, err)
	}
	return nil
}

func newSalt() uint32 {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return binary.LittleEndian.Uint32(b[:])
}

// removeTemps removes files whose creation or removal a crash has interrupted.
func removeTemps(d disk.Disk, dir string) error {
	entries, err := d.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix+tempSuffix) {
			err = errors.Join(err, d.Remove(filepath.Join(dir, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}
