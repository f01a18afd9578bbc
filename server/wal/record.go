package wal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
)

// Type is the purpose of a record.
type Type uint8

const (
	Data   Type = 1 // rows as they were received
	Intent Type = 2 // files that are about to be made
	Landed Type = 3 // files that have been made

	gap Type = 4 // stands for records that Repair could not save; never handed out

	Carried Type = 5 // what outlives the records that brought it: written again before the log releases them
)

// Record is an entry of the log.
type Record struct {
	Seq       uint64 // given by Append: 1, 2, 3 …
	Type      Type
	Codec     uint16 // how the payload is to be read; opaque to the log
	Time      int64  // when it was received, in microseconds since the Unix epoch
	DB, Table string // up to 65535 bytes each
	Payload   []byte
	Place     Place // of the payload; given by Append and by Replay

	// Attach is passed to OnCommit with the record. It is not written.
	Attach any
}

const (
	headerSize = 40      // of a record
	align      = 8       // records begin at multiples of it
	maxBody    = 1 << 30 // longer ones are refused
)

// castagnoli is the polynomial that processors have an instruction for.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Why there is no record at some place.
var (
	errShort   = errors.New("the record is cut short")
	errHeader  = errors.New("there is no valid record header")
	errBody    = errors.New("the record's checksum does not match its body")
	errPadding = errors.New("the record's padding is not zero")
	errGap     = errors.New("the gap record is malformed")
	errOrder   = errors.New("the record is out of order")
)

// header is a record's header as it is read.
type header struct {
	size  int64 // of the whole record, padding included
	body  int
	seq   uint64
	time  int64
	sum   uint32
	codec uint16
	typ   Type
	db    int
	table int
	nth   uint32
}

// recordSize is the size of a record with a body of n bytes.
func recordSize(n int) int64 {
	return (headerSize + int64(n) + align - 1) &^ (align - 1)
}

// padding is what follows a body of n bytes.
func padding(n int) int {
	return -n & (align - 1)
}

// bodySum is the sum of a body whose db and table are names, one after the other.
func bodySum(names, payload []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, names), castagnoli, payload)
}

// appendHeader appends the header of r, whose body has the given sum, as the nth record of its
// commit.
func appendHeader(b []byte, r *Record, sum, salt, nth uint32) []byte {
	at := len(b)
	b = append(b, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(r.DB)+len(r.Table)+len(r.Payload)))
	b = binary.LittleEndian.AppendUint64(b, r.Seq)
	b = binary.LittleEndian.AppendUint64(b, uint64(r.Time))
	b = binary.LittleEndian.AppendUint32(b, sum)
	b = binary.LittleEndian.AppendUint16(b, r.Codec)
	b = append(b, byte(r.Type), 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.DB)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.Table)))
	b = binary.LittleEndian.AppendUint32(b, nth)
	binary.LittleEndian.PutUint32(b[at:], crc32.Update(salt, castagnoli, b[at+4:]))
	return b
}

// appendRecord appends r whole, in a commit of its own.
func appendRecord(b []byte, r *Record, salt uint32) []byte {
	names := append([]byte(r.DB), r.Table...)
	b = appendHeader(b, r, bodySum(names, r.Payload), salt, 0)
	b = append(b, names...)
	b = append(b, r.Payload...)
	return appendPadding(b, len(names)+len(r.Payload))
}

// appendPadding appends what follows a body of n bytes.
func appendPadding(b []byte, n int) []byte {
	var zeros [align]byte
	return append(b, zeros[:padding(n)]...)
}

// readHeader reads the header at the beginning of b.
func readHeader(b []byte, salt uint32) (h header, err error) {
	if len(b) < headerSize {
		return h, errShort
	}
	b = b[:headerSize]
	h = header{
		seq:   binary.LittleEndian.Uint64(b[8:]),
		time:  int64(binary.LittleEndian.Uint64(b[16:])),
		sum:   binary.LittleEndian.Uint32(b[24:]),
		codec: binary.LittleEndian.Uint16(b[28:]),
		typ:   Type(b[30]),
		db:    int(binary.LittleEndian.Uint16(b[32:])),
		table: int(binary.LittleEndian.Uint16(b[34:])),
		nth:   binary.LittleEndian.Uint32(b[36:]),
	}
	body := binary.LittleEndian.Uint32(b[4:])
	// The cheap questions come first: the search for records after a damaged place asks at each
	// eighth byte.
	if h.typ < Data || h.typ > Carried || b[31] != 0 || body > maxBody || uint32(h.db+h.table) > body || uint64(h.nth) >= h.seq ||
		crc32.Update(salt, castagnoli, b[4:]) != binary.LittleEndian.Uint32(b) {
		return h, errHeader
	}
	h.body = int(body)
	h.size = recordSize(h.body)
	return h, nil
}

// readRecord reads the record at the beginning of b into r. The payload is a view of b; a name that
// r has already is kept.
func readRecord(b []byte, salt uint32, r *Record) (h header, err error) {
	if h, err = readHeader(b, salt); err != nil {
		return h, err
	}
	if h.size > int64(len(b)) {
		return h, errShort
	}
	body, rest := b[headerSize:headerSize+h.body], b[headerSize+h.body:h.size]
	if crc32.Checksum(body, castagnoli) != h.sum {
		return h, errBody
	}
	for _, c := range rest {
		if c != 0 {
			return h, errPadding
		}
	}
	r.Seq, r.Type, r.Codec, r.Time = h.seq, h.typ, h.codec, h.time
	setString(&r.DB, body[:h.db])
	setString(&r.Table, body[h.db:h.db+h.table])
	r.Payload = body[h.db+h.table:]
	if h.typ == gap && !validGap(r) {
		return h, errGap
	}
	return h, nil
}

// setString makes *s the text b. Neighbouring records mostly carry the same names, which are then
// not copied.
func setString(s *string, b []byte) {
	if *s != string(b) {
		*s = string(b)
	}
}

// newGap stands for the records from to to.
func newGap(from, to uint64) *Record {
	return &Record{Seq: from, Type: gap, Payload: binary.LittleEndian.AppendUint64(nil, to-from+1)}
}

func validGap(r *Record) bool {
	if len(r.Payload) != 8 {
		return false
	}
	n := binary.LittleEndian.Uint64(r.Payload)
	return n > 0 && n < math.MaxUint64-r.Seq
}

// due is the sequence number of the record that follows r.
func (r *Record) due() uint64 {
	if r.Type == gap {
		return r.Seq + binary.LittleEndian.Uint64(r.Payload)
	}
	return r.Seq + 1
}
