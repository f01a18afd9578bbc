package buffer

import "github.com/slipstream-go/slipstream/internal/mem"

// Strings stores many small strings in shared chunks, with one allocation per chunk. A program that
// keeps a string retains only the chunk in which the string is stored. A long string gets its own
// allocation.
//
//	chunk  [used by strings, never written again | free]
//	        0                                 len     cap
//
// A value of type Strings may be used for several messages: one chunk may contain strings from
// different messages. It is not safe for concurrent use.
type Strings struct {
	chunk []byte
	Size  int // size of a chunk in bytes; zero means that each string gets its own allocation
}

// ChunkSize is the usual value of Strings.Size. Smaller chunks are slower. Larger chunks gain
// little speed and retain more memory.
const ChunkSize = 2 << 10

// Copy returns the bytes of b as a string.
func (s *Strings) Copy(b []byte) string {
	n := len(b)
	if n > cap(s.chunk)-len(s.chunk) || n > s.Size/8 {
		return s.copySlow(b)
	}
	if n == 0 {
		return "" // a pointer to the end of a full chunk would point outside the chunk
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

// CopyBytes returns a copy of b. The copy is never nil. Its capacity equals its length, so
// appending to the copy allocates new memory, and does not overwrite the bytes after the copy.
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

// CopyAt returns b[i:i+n] as a string. The caller has checked that these bytes exist. Short strings
// are copied as whole words that overlap. If a string is shorter than a word, the word extends into
// the free part of the chunk.
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
	case i+n >= 8: // near the end of the input: load the word that ends where the string ends
		mem.Store64(chunk, at, mem.Load64(b, i+n-8)>>(64-8*uint(n)))
	default:
		return s.Copy(b[i : i+n])
	}
	s.chunk = s.chunk[:at+n] // this stores only a length: storing a pointer is expensive while the garbage collector marks
	mem.Seal(s.chunk, n)
	return mem.String(chunk[at : at+n])
}

// Room returns at least n free bytes of a chunk, into which the caller copies strings. It returns
// nil if n exceeds Size, for example because Size is zero. After copying, the caller must call Take
// or TakeBytes with the number of bytes that it used. Between the two calls, no other string may be
// stored.
func (s *Strings) Room(n int) []byte {
	if n > cap(s.chunk)-len(s.chunk) {
		if n > s.Size {
			return nil
		}
		s.chunk = make([]byte, 0, s.Size)
	}
	return s.chunk[len(s.chunk):cap(s.chunk)]
}

// Take records that the first n bytes of Room now contain strings.
func (s *Strings) Take(n int) {
	s.TakeBytes(n)
	mem.Seal(s.chunk, n)
}

// TakeBytes gives the first n bytes of Room to the caller. The caller may write to them later.
func (s *Strings) TakeBytes(n int) { s.chunk = s.chunk[:len(s.chunk)+n] }

// Slab provides cells of type T from blocks, with one allocation per block. It never provides a
// cell twice.
type Slab[T any] struct {
	block []T
	used  int // number of cells in block that are in use
}

// slabCells is the maximum number of cells in a block. Larger blocks are not faster, and retain
// more memory. The first blocks are smaller, because there may be only a few values.
const slabCells = 32

// Put returns a cell that contains v.
func (s *Slab[T]) Put(v T) *T {
	if s.used == len(s.block) {
		s.block, s.used = make([]T, min(max(4, 2*len(s.block)), slabCells)), 0
	}
	p := &s.block[s.used]
	s.used++
	*p = v
	return p
}
