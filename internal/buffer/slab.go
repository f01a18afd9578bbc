package buffer

import "github.com/slipstream-go/slipstream/internal/mem"

// Strings cuts many small strings from shared chunks, one allocation for each chunk. A string that
// is kept pins the chunk it was cut from, no more: long ones get memory of their own.
//
//	chunk  [used by strings, never written again | free]
//	        0                                 len     cap
//
// A Strings may outlive a message: chunks are not tied to one. It is not safe for concurrent use.
type Strings struct {
	chunk []byte
	Size  int // of a chunk; zero means that each string has memory of its own
}

// ChunkSize is the usual Strings.Size: smaller chunks cost speed, larger ones gain little and pin
// more.
const ChunkSize = 2 << 10

// Copy is a string of b's bytes.
func (s *Strings) Copy(b []byte) string {
	n := len(b)
	if n > cap(s.chunk)-len(s.chunk) || n > s.Size/8 {
		return s.copySlow(b)
	}
	if n == 0 {
		return "" // a pointer to the end of a full chunk would point past it
	}
	start := len(s.chunk)
	s.chunk = append(s.chunk, b...)
	mem.Seal(s.chunk, n)
	return mem.String(s.chunk[start : start+n])
}

func (s *Strings) copySlow(b []byte) string {
	if len(b) > s.Size/8 {
		return string(b)
	}
	if len(b) == 0 {
		return ""
	}
	s.chunk = append(make([]byte, 0, s.Size), b...)
	mem.Seal(s.chunk, len(b))
	return mem.String(s.chunk)
}

// CopyBytes returns a copy of b, which is never nil. It has no room beyond its length: an append to
// it moves it, and does not reach its neighbours.
func (s *Strings) CopyBytes(b []byte) []byte {
	n := len(b)
	if n == 0 || n > s.Size/8 {
		return append(make([]byte, 0, n), b...)
	}
	if n > cap(s.chunk)-len(s.chunk) {
		s.chunk = make([]byte, 0, s.Size)
	}
	at := len(s.chunk)
	s.chunk = append(s.chunk, b...)
	return s.chunk[at : at+n : at+n]
}

// CopyAt is a string of b[i:i+n]; the caller has checked that these bytes exist. Short strings move
// as whole words that overlap; those of less than a word spill into the free part of the chunk.
func (s *Strings) CopyAt(b []byte, i, n int) string {
	at := len(s.chunk)
	if n > 32 || at+n+8 > cap(s.chunk) {
		return s.Copy(b[i : i+n])
	}
	chunk := s.chunk[:at+n+8]
	switch {
	case n >= 16:
		mem.Store64(chunk, at, mem.Load64(b, i))
		mem.Store64(chunk, at+8, mem.Load64(b, i+8))
		mem.Store64(chunk, at+n-16, mem.Load64(b, i+n-16))
		mem.Store64(chunk, at+n-8, mem.Load64(b, i+n-8))
	case n >= 8:
		mem.Store64(chunk, at, mem.Load64(b, i))
		mem.Store64(chunk, at+n-8, mem.Load64(b, i+n-8))
	case n == 0:
		return ""
	case i+8 <= len(b):
		mem.Store64(chunk, at, mem.Load64(b, i))
	case i+n >= 8: // near the end of the input: a word that ends where the string does
		mem.Store64(chunk, at, mem.Load64(b, i+n-8)>>(64-8*uint(n)))
	default:
		return s.Copy(b[i : i+n])
	}
	s.chunk = s.chunk[:at+n] // which stores a length only: a pointer is dear to store while the collector marks
	mem.Seal(s.chunk, n)
	return mem.String(chunk[at : at+n])
}

// Room is free memory of a chunk, at least n bytes, for strings that the caller copies there
// himself, or nil where each string has memory of its own. Take says how much of it was used;
// nothing else may be cut meanwhile.
func (s *Strings) Room(n int) []byte {
	if n > cap(s.chunk)-len(s.chunk) {
		if n > s.Size {
			return nil
		}
		s.chunk = make([]byte, 0, s.Size)
	}
	return s.chunk[len(s.chunk):cap(s.chunk)]
}

// Take notes that n bytes of Room are strings now.
func (s *Strings) Take(n int) {
	s.TakeBytes(n)
	mem.Seal(s.chunk, n)
}

// TakeBytes notes that n bytes of Room are the caller's now, who may write them.
func (s *Strings) TakeBytes(n int) { s.chunk = s.chunk[:len(s.chunk)+n] }

// Slab hands out cells of T one by one from blocks, one allocation for each block. A cell is never
// handed out twice.
type Slab[T any] struct {
	block []T
	used  int // cells of block
}

// slabCells is the cells of a block: more gain no speed and pin more. The first blocks are smaller:
// few values may be all there are.
const slabCells = 32

// Put is a cell that holds v.
func (s *Slab[T]) Put(v T) *T {
	if s.used == len(s.block) {
		s.block, s.used = make([]T, min(max(4, 2*len(s.block)), slabCells)), 0
	}
	p := &s.block[s.used]
	s.used++
	*p = v
	return p
}
