package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipstream-go/slipstream/server/disk"
)

// The file named "first" contains the number of the oldest segment that the log needs. Without the
// file, the log could not distinguish segments that were removed by mistake from released segments.
// The file is written before a segment is removed. A write replaces the bytes of the existing file,
// so it needs no space on a full disk.
//
//	first   0             4096          8192
//	        ┌─────────┬───┬─────────┬───┐
//	        │ state   │ 0 │ state   │ 0 │   the state with the higher number is valid; the next state goes to the other half
//	        └─────────┴───┴─────────┴───┘
//
//	state   0        8     16    20
//	        ┌────────┬─────┬─────┐
//	        │ number │ seq │ crc │   of the segment, of its first record, and a CRC-32C of both
//	        └────────┴─────┴─────┘

const (
	firstName = "first"
	firstHalf = 4096
	firstSize = 20
)

// first is the content of the file named "first". The zero value means that the file contains no
// valid state.
type first struct {
	number uint64 // number of the oldest segment; at least 1
	seq    uint64 // sequence number of that segment's first record
	half   int    // half of the file that contains this state
}

// readFirst reads the file in dir. It returns the zero value if the file does not exist or contains
// no valid state. Earlier versions of this program did not write the file.
func readFirst(d disk.Disk, dir string) (f first, err error) {
	b, err := disk.ReadFile(d, filepath.Join(dir, firstName))
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	} else if err != nil {
		return f, fmt.Errorf("wal: %w", err)
	}
	for half := range 2 {
		if len(b) < half*firstHalf+firstSize {
			break
		}
		state := b[half*firstHalf:][:firstSize]
		number, seq := binary.LittleEndian.Uint64(state), binary.LittleEndian.Uint64(state[8:])
		if crc32.Checksum(state[:16], castagnoli) == binary.LittleEndian.Uint32(state[16:]) && number > f.number {
			f = first{number, seq, half}
		}
	}
	return f, nil
}

// writeFirst writes the number and the first sequence number of s, the oldest segment, to the file.
// When writeFirst returns nil, the file is durable.
//
// If the file already contains this state, writeFirst writes it again: an earlier call may have
// written it without being able to sync it.
func writeFirst(d disk.Disk, dir string, s *segment) error {
	now, err := readFirst(d, dir)
	if err != nil {
		return err
	}
	state := binary.LittleEndian.AppendUint64(nil, s.number)
	state = binary.LittleEndian.AppendUint64(state, s.start)
	state = binary.LittleEndian.AppendUint32(state, crc32.Checksum(state, castagnoli))
	path := filepath.Join(dir, firstName)
	again := now.number == s.number && now.seq == s.start
	if !again && (now.number == 0 || now.number >= s.number) {
		b := make([]byte, 2*firstHalf)
		copy(b, state)
		return disk.WriteFile(d, path, b)
	}
	half := 1 - now.half
	if again {
		half = now.half
	}
	f, err := d.Open(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(state, int64(half)*firstHalf)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil && again {
		err = d.SyncDir(dir)
	}
	return err
}

// missing returns a DamageError if the oldest segments of the log are missing, and nil otherwise.
func (f first) missing(dir string, segs []*segment) *DamageError {
	d := &DamageError{Segment: segmentPath(dir, f.number), Reason: "the file is missing", From: f.seq, To: f.seq}
	switch {
	case f.number == 0:
		return nil
	case len(segs) == 0:
		d.Reason = "the file and all later segments are missing"
		return d
	case segs[0].number <= f.number:
		return nil
	}
	if start := segs[0].start; start > 0 {
		d.To = start - 1
	}
	return d
}
