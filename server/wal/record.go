package wal

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
)

// Type is the type of a record. The user of the log defines the meaning of each type. The values 1,
// 2, 3 and 5 to 15 can be used.
type Type uint8

const (
	gap     Type = 4 // replaces records that Repair could not save; never returned to callers
	maxType Type = 15
)

// Record is an entry of the log.
type Record struct {
	Seq       uint64 // set by Append: 1, 2, 3 …
	Type      Type   // defined by the user of the log
	Codec     uint16 // format of the payload; defined by the user of the log
	Time      int64  // when the record was received, in microseconds since the Unix epoch
	DB, Table string // up to 65535 bytes each
	Payload   []byte
	Place     Place // place of the payload; set by Append and by Replay

	// UseReserve makes the log accept the record although the log is full or the disk is nearly
	// full. It is for records that lead to a release of log space or disk space. It is not written
	// to the log. See [Options.Reserve].
	UseReserve bool
}

const (
	headerSize = 40      // size of a record's header
	align      = 8       // records begin at multiples of this number
	maxBody    = 1 << 30 // longer bodies are rejected
)

// castagnoli is the table of the CRC-32C polynomial. Processors have an instruction for CRC-32C.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// These errors are the reasons why no record can be read at an offset.
var (
	errShort   = errors.New("the record is cut short")
	errHeader  = errors.New("there is no valid record header")
	errBody    = errors.New("the record's checksum does not match its body")
	errPadding = errors.New("the record's padding is not zero")
	errGap     = errors.New("the gap record is malformed")
	errOrder   = errors.New("the record is out of order")
)

// header is the decoded header of a record.
type header struct {
	size  int64 // size of the whole record, including padding
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

// recordSize returns the size of a record with a body of n bytes.
func recordSize(n int) int64 {
	return (headerSize + int64(n) + align - 1) &^ (align - 1)
}

// padding returns the number of padding bytes after a body of n bytes.
func padding(n int) int {
	return -n & (align - 1)
}

// bodySum returns the checksum of a body. The argument `names` is the name of the database,
// followed by the name of the table.
func bodySum(names, payload []byte) uint32 {
	return crc32.Update(crc32.Update(0, castagnoli, names), castagnoli, payload)
}

// appendHeader appends the header of r. The argument `sum` is the checksum of r's body. The
// argument `nth` is the number of records that precede r in the same commit.
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

// appendRecord appends the whole record r, as a separate commit.
func appendRecord(b []byte, r *Record, salt uint32) []byte {
	names := append([]byte(r.DB), r.Table...)
	b = appendHeader(b, r, bodySum(names, r.Payload), salt, 0)
	b = append(b, names...)
	b = append(b, r.Payload...)
	return appendPadding(b, len(names)+len(r.Payload))
}

// appendPadding appends the padding after a body of n bytes.
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
	// The cheap checks come first, because the search for records after damage makes them at every
	// eighth byte.
	if h.typ == 0 || h.typ > maxType || b[31] != 0 || body > maxBody || uint32(h.db+h.table) > body || uint64(h.nth) >= h.seq ||
		crc32.Update(salt, castagnoli, b[4:]) != binary.LittleEndian.Uint32(b) {
		return h, errHeader
	}
	h.body = int(body)
	h.size = recordSize(h.body)
	return h, nil
}

// readRecord reads the record at the beginning of b into r. The payload aliases b. Names that r
// already contains are not copied again.
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

// setString sets *s to the text b. If *s already equals b, setString does not copy b. This is
// common, because adjacent records mostly contain the same names.
func setString(s *string, b []byte) {
	if *s != string(b) {
		*s = string(b)
	}
}

// newGap returns a gap record for the sequence numbers `from` to `to`.
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

// due returns the sequence number of the record that follows r.
func (r *Record) due() uint64 {
	if r.Type == gap {
		return r.Seq + binary.LittleEndian.Uint64(r.Payload)
	}
	return r.Seq + 1
}
