package msgpwire

// The specification defines ext type -1 for times, in three lengths:
//
//	d6 ff        u32 seconds                               1970 to 2106, whole seconds
//	d7 ff        u30 nanoseconds, u34 seconds              1970 to 2514
//	c7 0c ff     u32 nanoseconds, i64 seconds              any

import (
	"encoding/binary"
	"time"
)

// AppendTime appends t in the shortest of the three lengths that can represent it. The time zone is
// lost.
func AppendTime(b []byte, t time.Time) []byte {
	secs, ns := uint64(t.Unix()), uint64(t.Nanosecond())
	if secs>>34 == 0 {
		if data := ns<<34 | secs; data>>32 == 0 {
			return binary.BigEndian.AppendUint32(append(b, Fixext4, 0xff), uint32(data))
		} else {
			return binary.BigEndian.AppendUint64(append(b, Fixext8, 0xff), data)
		}
	}
	b = binary.BigEndian.AppendUint32(append(b, Ext8, 12, 0xff), uint32(ns))
	return binary.BigEndian.AppendUint64(b, secs)
}

// TimeOf returns the time in the data of a time ext, and reports whether the data has one of the
// three lengths. If the nanoseconds are one second or more, they are carried over to the seconds.
func TimeOf(data []byte) (time.Time, bool) {
	switch len(data) {
	case 4:
		return time.Unix(int64(binary.BigEndian.Uint32(data)), 0), true
	case 8:
		v := binary.BigEndian.Uint64(data)
		return time.Unix(int64(v&(1<<34-1)), int64(v>>34)), true
	case 12:
		ns, secs := binary.BigEndian.Uint32(data), binary.BigEndian.Uint64(data[4:])
		return time.Unix(int64(secs), int64(ns)), true
	}
	return time.Time{}, false
}
