package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/slipstream-go/slipstream/server/disk"
)

// journal is a file with the changes to the catalog since catalog.json was written. It belongs to
// the catalog.json that contains its number, and to the process that created it. Only that process
// appends to the journal, and only as long as every sync has succeeded.
//
//	catalog.7.journal   0       16                  a multiple of 16
//	                    ┌───────┬──────┬───┬───────┬──────┬───┬────
//	                    │ entry │ JSON │ ⏎ │ entry │ JSON │ ⏎ │ …
//	                    └───────┴──────┴───┴───────┴──────┴───┴────
//	entry   0      4     8     16
//	        ┌──────┬─────┬─────┐    head  CRC-32C of the journal's number, the entry's offset, sum and len
//	        │ head │ sum │ len │    sum   CRC-32C of the body
//	        └──────┴─────┴─────┘    len   length of the body: JSON, and line feeds up to a multiple of 16
//	        u32    u32   u64        all numbers are little-endian
//
// An entry is written after the previous entry is on disk. So only the last entry can be torn, and
// no other data depends on a torn entry. After a crash, some sectors of a torn entry exist. The
// missing sectors lie after the end of the file, or contain only zeros. No sector of a complete
// entry contains only zeros. So the function `torn` can distinguish a torn entry from a damaged
// entry, which may have been complete on disk before. If the last entries are lost without a trace,
// the journal is the same as before they were written.
type journal struct {
	file   disk.File
	number uint64
	size   int64 // size of the entries on disk
	broken bool  // the content of the file after the offset `size` is unknown
}

const (
	entryHead = 16
	sector    = 512 // a disk writes this many bytes, or a multiple, as a whole
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// journalPath returns the path of a journal, in the directory of the catalog's file.
func journalPath(catalog string, number uint64) string {
	return filepath.Join(filepath.Dir(catalog), fmt.Sprintf("catalog.%d.journal", number))
}

// createJournal creates an empty journal. The new directory entry is not synced.
func createJournal(d disk.Disk, catalog string, number uint64) (*journal, error) {
	f, err := d.Open(journalPath(catalog, number), os.O_RDWR|os.O_CREATE|os.O_TRUNC, disk.FileMode())
	if err != nil {
		return nil, err
	}
	return &journal{file: f, number: number}, nil
}

// append writes an entry. When append returns nil, the entry is on disk. After a failed write,
// append truncates the file to its former size, because the next entry in the same place may be
// shorter. After any other error the journal is broken.
func (j *journal) append(entry []byte) error {
	_, err := j.file.WriteAt(entry, j.size)
	if err != nil {
		j.broken = errors.Join(j.file.Truncate(j.size), j.file.Sync()) != nil
		return err
	}
	if err := j.file.Datasync(); err != nil {
		j.broken = true
		return err
	}
	j.size += int64(len(entry))
	return nil
}

// close closes the file. The receiver may be nil.
func (j *journal) close() {
	if j != nil {
		j.file.Close()
	}
}

// newEntry returns an entry with the given text, for the journal with the given number. The entry
// must be written at the offset `at`.
func newEntry(text []byte, number uint64, at int64) []byte {
	entry := append(make([]byte, entryHead, entryHead+len(text)+entryHead), text...)
	entry = append(entry, '\n')
	for len(entry)%entryHead != 0 {
		entry = append(entry, '\n')
	}
	body := entry[entryHead:]
	binary.LittleEndian.PutUint32(entry[4:], crc32.Checksum(body, castagnoli))
	binary.LittleEndian.PutUint64(entry[8:], uint64(len(body)))
	binary.LittleEndian.PutUint32(entry, headSum(entry, number, at))
	return entry
}

func headSum(entry []byte, number uint64, at int64) uint32 {
	var place [16]byte
	binary.LittleEndian.PutUint64(place[:], number)
	binary.LittleEndian.PutUint64(place[8:], uint64(at))
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, entry[4:entryHead])
}

// headAt reports whether text contains the head of an entry at an offset.
func headAt(text []byte, number uint64, at int) bool {
	return len(text)-at >= entryHead && binary.LittleEndian.Uint32(text[at:]) == headSum(text[at:], number, int64(at))
}

// bodyAt returns the body of the entry at an offset, or nil if the entry is not complete and
// intact.
func bodyAt(text []byte, number uint64, at int) []byte {
	if !headAt(text, number, at) {
		return nil
	}
	body := text[at+entryHead:]
	n := binary.LittleEndian.Uint64(text[at+8:])
	if n > uint64(len(body)) || crc32.Checksum(body[:n], castagnoli) != binary.LittleEndian.Uint32(text[at+4:]) {
		return nil
	}
	return body[:n]
}

// readJournal returns the bodies of a journal's entries. If the last entry is torn, readJournal
// omits it. If any other entry is not intact, it returns an error.
func readJournal(text []byte, number uint64) (bodies [][]byte, err error) {
	for at := 0; at < len(text); {
		body := bodyAt(text, number, at)
		if body == nil {
			if torn(text, number, at) {
				break
			}
			return nil, fmt.Errorf("the entry at byte %d is damaged", at)
		}
		bodies = append(bodies, body)
		at += entryHead + len(body)
	}
	return bodies, nil
}

// torn reports whether the damaged entry at an offset was torn by a crash. This is the case if the
// entry is the last one and some of its sectors are missing.
func torn(text []byte, number uint64, at int) bool {
	for next := at + entryHead; next < len(text); next += entryHead {
		if headAt(text, number, next) {
			return false
		}
	}
	end := len(text) // of the entry, if its head is missing
	if headAt(text, number, at) {
		n := binary.LittleEndian.Uint64(text[at+8:])
		if n > uint64(len(text)-at-entryHead) {
			return true
		}
		end = at + entryHead + int(n)
	}
	if end < len(text) { // something follows
		return false
	}
	if end%entryHead != 0 { // the end of a write that was cut short
		return true
	}
	for at < end {
		next := min(end, at/sector*sector+sector)
		if zero(text[at:next]) {
			return true
		}
		at = next
	}
	return false
}

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
