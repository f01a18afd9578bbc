package faulty

import (
	"io/fs"
	"math/rand/v2"
	"time"
)

// node is a file or a directory.
type node struct {
	isDir bool
	perm  fs.FileMode
	links int // number of directory entries for the node
	opens int

	// For a file, reads return the content in the field `data`. The content in the field `stable`
	// is certainly on the disk. The field `writes` contains the changes that a crash may undo.
	data, stable content
	reserved     int64 // bytes
	writes       []write

	// For a directory, reads return the entries in the field `entries`. The entries in the field
	// `stableEntries` are certainly on the disk. The field `pending` contains the changes that a
	// crash may undo.
	entries, stableEntries map[string]*node
	pending                [][]change
}

// write is a change to a file: new bytes at an offset, or a new size.
type write struct {
	off  int64
	b    []byte
	size int64 // the new size, if b is nil
}

// change is a change to a directory. node is nil if the name is removed.
type change struct {
	name string
	node *node
}

func newDir() *node {
	return &node{isDir: true, entries: make(map[string]*node), stableEntries: make(map[string]*node)}
}

// enter changes several entries atomically.
func (n *node) enter(all ...change) {
	for _, c := range all {
		if old := n.entries[c.name]; old != nil {
			old.links--
		}
		if c.node == nil {
			delete(n.entries, c.name)
		} else {
			n.entries[c.name] = c.node
			c.node.links++
		}
	}
	n.pending = append(n.pending, all)
}

// settleEntries makes the first k of the pending changes durable.
func (n *node) settleEntries(k int) {
	for _, all := range n.pending[:k] {
		for _, c := range all {
			if c.node == nil {
				delete(n.stableEntries, c.name)
			} else {
				n.stableEntries[c.name] = c.node
			}
		}
	}
	n.pending = n.pending[k:]
}

// apply returns data with the change applied.
func (w write) apply(data content) content {
	if w.b == nil {
		return data.resized(w.size)
	}
	return data.written(w.off, w.b)
}

func (n *node) write(w write) {
	n.data = w.apply(n.data)
	n.writes = append(n.writes, w)
}

func (n *node) resize(size int64) {
	n.reserved = min(n.reserved, size)
	n.write(write{size: size})
}

// settle makes all pending changes durable.
func (n *node) settle() {
	for _, w := range n.writes {
		n.stable = w.apply(n.stable)
	}
	n.writes = nil
}

// lose makes some of the pending changes durable. The other changes never become durable, but reads
// still return them.
func (n *node) lose(r *rand.Rand) {
	n.stable = n.afterCrash(r)
	n.writes = nil
}

const sector = 512

// afterCrash returns the content of a file that a crash leaves on the disk.
func (n *node) afterCrash(r *rand.Rand) content {
	data := n.stable.clone()
	whole, torn := 0, false
	switch r.IntN(4) {
	case 0: // nothing
	case 1:
		whole = len(n.writes)
	case 2:
		whole = r.IntN(len(n.writes) + 1)
		torn = whole < len(n.writes)
	case 3:
		for _, w := range n.writes {
			data = w.sectors(data, r)
		}
	}
	for _, w := range n.writes[:whole] {
		data = w.apply(data)
	}
	if torn {
		data = n.writes[whole].sectors(data, r)
	}
	return data
}

// sectors applies a random selection of a write's sectors to data.
func (w write) sectors(data content, r *rand.Rand) content {
	if w.b == nil {
		if r.IntN(2) == 0 {
			data = w.apply(data)
		}
		return data
	}
	for off, b := w.off, w.b; len(b) > 0; {
		k := min(int64(len(b)), sector-off%sector)
		if r.IntN(2) == 0 {
			data = write{off: off, b: b[:k]}.apply(data)
		}
		off, b = off+k, b[k:]
	}
	return data
}

// info describes a node.
type info struct {
	name string
	size int64
	mode fs.FileMode
}

func (n *node) info(name string) fs.FileInfo {
	i := info{name: name, size: n.data.size, mode: n.perm}
	if n.isDir {
		i.mode = fs.ModeDir | 0o755
	}
	return i
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
