package faulty

import (
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
)

// Options define the size, the faults and the delays of a Disk.
type Options struct {
	Size int64 // size of the disk in bytes; 0 means unlimited

	// Fail, if set, is called before each call of the disk. It returns the error with which the
	// call fails, or nil. A failed call has a random effect, as described in the package comment.
	Fail func(c Call) error

	// Delay, if set, returns the duration of a call.
	Delay func(c Call) time.Duration

	// Short, if set, reports whether a Read or WriteVec transfers fewer bytes than requested, but
	// at least one byte.
	Short func(c Call) bool

	// Crashed, if set, is called when the disk crashes at a call. [Disk.CrashAt] chooses this call.
	Crashed func(c Call)
}

// Call describes a call of a method of Disk or of File.
type Call struct {
	Number int    // 1, 2, 3 …, assigned when the delay of the call ends; 0 in Delay
	Name   string // name of the method, such as "Datasync"
	Path   string
	Rand   *rand.Rand // valid until Fail or Delay returns
}

// The method Writes reports whether the call changes the disk or makes changes durable.
func (c Call) Writes() bool {
	switch c.Name {
	case "Stat", "Lstat", "ReadDir", "Read", "ReadAt", "Free", "Lock":
		return false
	}
	return true
}

// Disk is a disk in memory. Its methods may be called from many goroutines.
type Disk struct {
	mu      sync.Mutex
	o       Options
	seed    uint64
	rand    *rand.Rand
	times   map[string]int // number of calls so far, by name and path
	root    *node
	nodes   map[*node]bool // nodes that have a name or are open
	locks   map[string]bool
	calls   int
	crashAt int
	dead    bool
	trace   []string
	digest  hash.Hash64 // hash of the whole trace, including the times
}

var _ disk.Disk = (*Disk)(nil)

// errDead is the error of each call after a crash.
var errDead = fmt.Errorf("the machine is off: %w", syscall.EIO)

// New returns an empty disk.
func New(seed uint64, o Options) *Disk {
	d := &Disk{o: o, seed: seed, times: make(map[string]int), rand: rand.New(rand.NewPCG(seed, 1)), root: newDir(), nodes: make(map[*node]bool), locks: make(map[string]bool), digest: fnv.New64a()}
	return d
}

// Set replaces the options of the disk for later calls.
func (d *Disk) Set(o Options) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.o = o
}

// CrashAt makes the disk crash at a later call. The next call has the number 1. The call with the
// given number and all calls after it return errors, but that call may still change the disk.
func (d *Disk) CrashAt(call int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.crashAt = d.calls + call
}

// Calls returns the number of calls so far.
func (d *Disk) Calls() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.calls
}

// Trace returns the most recent calls, oldest first.
func (d *Disk) Trace() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.trace)
}

// Digest returns a hash of all calls so far, with their outcomes and times. Two identical runs have
// the same digest.
func (d *Disk) Digest() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.digest.Sum64()
}

// Corrupt flips a random bit of the file at path, between the offsets `from` and `to`, in memory
// and on the disk. It reports whether the file contains bytes between these offsets.
func (d *Disk) Corrupt(path string, from, to int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.find(path)
	if n == nil || n.isDir {
		return false
	}
	if to = min(to, n.data.size); from >= to {
		return false
	}
	n.settle()
	at := from + d.rand.Int64N(to-from)
	bit := byte(1) << d.rand.IntN(8)
	n.data = n.data.flip(at, bit)
	n.stable = n.data.clone()
	return true
}

// kept is the minimum number of recent calls that are kept for Trace.
const kept = 400

// begin begins a call. If err is nil, begin returns with d locked. If fault is nil, the call must
// take effect. Otherwise the call must fail with the error `fault`, although it may have had an
// effect before: see the function `done`.
func (d *Disk) begin(name, path string) (fault error, err error) {
	d.mu.Lock()
	var delay time.Duration
	if d.o.Delay != nil {
		delay = d.o.Delay(Call{Name: name, Path: path, Rand: d.randOf(name, path)})
	}
	if d.dead { // short, but unequal for any two calls, so that retries never come at the same moment in an undefined order
		delay %= time.Millisecond
	}
	if delay > 0 {
		d.mu.Unlock()
		time.Sleep(delay)
		d.mu.Lock()
	}
	d.calls++
	c := Call{Number: d.calls, Name: name, Path: path, Rand: d.rand}
	if !d.dead && d.o.Fail != nil {
		fault = d.o.Fail(c)
	}
	note := fmt.Sprint(c.Number, " ", name, " ", path)
	switch {
	case d.dead:
		note, err = note+": off", errDead
	case d.crashAt > 0 && c.Number >= d.crashAt:
		d.dead = true
		note += ": crash"
		if fault = errDead; !c.Writes() || d.rand.IntN(2) == 0 {
			err = errDead
		}
		if d.o.Crashed != nil {
			d.o.Crashed(c)
		}
	case fault != nil:
		note += ": " + fault.Error()
	}
	if len(d.trace) >= 2*kept {
		d.trace = slices.Delete(d.trace, 0, kept)
	}
	d.trace = append(d.trace, note)
	fmt.Fprintln(d.digest, time.Now().UnixNano(), note)
	if err != nil {
		d.mu.Unlock()
		return nil, failed(name, path, err)
	}
	if fault != nil {
		fault = failed(name, path, fault)
	}
	return fault, nil
}

// randOf returns the random source for the delay of a call. It does not depend on other calls,
// because calls at the same moment may run in any order. All other random choices are made after
// the delay of the call.
func (d *Disk) randOf(name, path string) *rand.Rand {
	key := name + " " + path
	d.times[key]++
	h := fnv.New64a()
	fmt.Fprint(h, key, d.times[key])
	return rand.New(rand.NewPCG(d.seed, h.Sum64()))
}

// shortened returns how many of n requested bytes a call reads or writes. It is used for calls that
// may transfer fewer bytes than requested.
func (d *Disk) shortened(name, path string, n int) int {
	if n <= 1 || d.o.Short == nil || !d.o.Short(Call{Number: d.calls, Name: name, Path: path, Rand: d.rand}) {
		return n
	}
	return 1 + d.rand.IntN(n-1)
}

func failed(name, path string, err error) error {
	return &fs.PathError{Op: strings.ToLower(name), Path: path, Err: err}
}

// done reports whether a call takes effect completely. The result is true if fault is nil, or if
// fault is the crash of the disk.
func done(fault error) bool { return fault == nil || errors.Is(fault, errDead) }

// find returns the node at path, or nil.
func (d *Disk) find(path string) *node {
	n := d.root
	for name := range strings.SplitSeq(strings.Trim(filepath.ToSlash(path), "/"), "/") {
		if name == "" {
			continue
		}
		if n = n.entries[name]; n == nil {
			return nil
		}
	}
	return n
}

// parent returns the directory that contains path, and the name of path in it.
func (d *Disk) parent(path string) (dir *node, name string, err error) {
	dir, name = d.find(filepath.Dir(path)), filepath.Base(path)
	if dir == nil {
		return nil, "", fs.ErrNotExist
	}
	if !dir.isDir {
		return nil, "", syscall.ENOTDIR
	}
	return dir, name, nil
}

// free returns the number of free bytes.
func (d *Disk) free() int64 {
	if d.o.Size == 0 {
		return 1 << 40
	}
	used := int64(0)
	for n := range d.nodes {
		used += max(n.data.size, n.reserved)
	}
	return max(0, d.o.Size-used)
}

// release removes n from d.nodes if it has no name and is not open.
func (d *Disk) release(n *node) {
	if n.links == 0 && n.opens == 0 {
		delete(d.nodes, n)
	}
}

func (d *Disk) Open(path string, flag int, perm fs.FileMode) (disk.File, error) {
	fault, err := d.begin("Open", path)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	if !done(fault) {
		return nil, fault
	}
	dir, name, err := d.parent(path)
	if err != nil {
		return nil, failed("open", path, err)
	}
	n := dir.entries[name]
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		return nil, failed("open", path, fs.ErrNotExist)
	case n == nil && perm != disk.FileMode():
		panic(fmt.Sprintf("%s is created with the mode %v, want %v, the mode of all files", path, perm, disk.FileMode()))
	case n == nil:
		n = &node{perm: perm}
		d.nodes[n] = true
		dir.enter(change{name: name, node: n})
	case n.isDir:
		return nil, failed("open", path, syscall.EISDIR)
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, failed("open", path, fs.ErrExist)
	case flag&os.O_TRUNC != 0:
		n.resize(0)
	}
	if fault != nil {
		return nil, fault
	}
	n.opens++
	return &file{d: d, n: n, path: path}, nil
}

func (d *Disk) ReadDir(dir string) ([]fs.DirEntry, error) {
	fault, err := d.begin("ReadDir", dir)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	n := d.find(dir)
	switch {
	case fault != nil:
		return nil, fault
	case n == nil:
		return nil, failed("open", dir, fs.ErrNotExist)
	case !n.isDir:
		return nil, failed("open", dir, syscall.ENOTDIR)
	}
	var list []fs.DirEntry
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		list = append(list, fs.FileInfoToDirEntry(n.entries[name].info(name)))
	}
	return list, nil
}

func (d *Disk) Stat(path string) (fs.FileInfo, error)  { return d.stat("Stat", path) }
func (d *Disk) Lstat(path string) (fs.FileInfo, error) { return d.stat("Lstat", path) }

func (d *Disk) stat(name, path string) (fs.FileInfo, error) {
	fault, err := d.begin(name, path)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	if fault != nil {
		return nil, fault
	}
	n := d.find(path)
	if n == nil {
		return nil, failed("stat", path, fs.ErrNotExist)
	}
	return n.info(filepath.Base(path)), nil
}

// change runs a call that changes a directory. The function f makes the change.
func (d *Disk) change(name, path string, f func(dir *node, base string) error) error {
	fault, err := d.begin(name, path)
	if err != nil {
		return err
	}
	defer d.mu.Unlock()
	if !done(fault) {
		return fault
	}
	dir, base, err := d.parent(path)
	if err == nil {
		err = f(dir, base)
	}
	if err != nil {
		return failed(name, path, err)
	}
	return fault
}

func (d *Disk) Mkdir(path string, perm fs.FileMode) error {
	return d.change("Mkdir", path, func(dir *node, base string) error {
		if base == "/" || dir.entries[base] != nil {
			return fs.ErrExist
		}
		if perm != disk.DirMode() {
			panic(fmt.Sprintf("%s is created with the mode %v, want %v, the mode of all directories", path, perm, disk.DirMode()))
		}
		dir.enter(change{name: base, node: newDir()})
		return nil
	})
}

func (d *Disk) Rename(from, to string) error {
	return d.change("Rename", from, func(dir *node, base string) error {
		other, name, err := d.parent(to)
		n := dir.entries[base]
		switch {
		case err != nil:
			return err
		case n == nil:
			return fs.ErrNotExist
		case other != dir || n.isDir:
			return errors.ErrUnsupported
		case base == name:
			return nil
		}
		old := dir.entries[name]
		if old != nil && old.isDir {
			return syscall.EISDIR
		}
		dir.enter(change{name: base}, change{name: name, node: n})
		if old != nil {
			d.release(old)
		}
		return nil
	})
}

func (d *Disk) Link(from, to string) error {
	return d.change("Link", to, func(dir *node, base string) error {
		n := d.find(from)
		switch {
		case n == nil:
			return fs.ErrNotExist
		case n.isDir:
			return syscall.EPERM
		case dir.entries[base] != nil:
			return fs.ErrExist
		}
		dir.enter(change{name: base, node: n})
		return nil
	})
}

func (d *Disk) Remove(path string) error {
	return d.change("Remove", path, func(dir *node, base string) error {
		n := dir.entries[base]
		switch {
		case n == nil:
			return fs.ErrNotExist
		case len(n.entries) > 0:
			return syscall.ENOTEMPTY
		}
		dir.enter(change{name: base})
		d.release(n)
		return nil
	})
}

func (d *Disk) SyncDir(dir string) error {
	fault, err := d.begin("SyncDir", dir)
	if err != nil {
		return err
	}
	defer d.mu.Unlock()
	n := d.find(dir)
	switch {
	case n == nil:
		return failed("sync", dir, fs.ErrNotExist)
	case !n.isDir:
		return failed("sync", dir, syscall.ENOTDIR)
	case done(fault):
		n.settleEntries(len(n.pending))
	default:
		n.settleEntries(d.rand.IntN(len(n.pending) + 1))
	}
	return fault
}

func (d *Disk) Free(dir string) (int64, error) {
	fault, err := d.begin("Free", dir)
	if err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	return d.free(), fault
}

func (d *Disk) Size(dir string) (int64, error) {
	fault, err := d.begin("Size", dir)
	if err != nil {
		return 0, err
	}
	defer d.mu.Unlock()
	return d.o.Size, fault
}

func (d *Disk) Lock(path string) (unlock func(), err error) {
	fault, err := d.begin("Lock", path)
	if err != nil {
		return nil, err
	}
	defer d.mu.Unlock()
	switch {
	case fault != nil:
		return nil, fault
	case d.locks[path]:
		return nil, failed("lock", path, disk.ErrLocked)
	}
	d.locks[path] = true
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.locks, path)
	}, nil
}

// Crash switches the machine off: all later calls of d fail. Crash returns the disk as the service
// finds it at its next start.
func (d *Disk) Crash() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	next := New(d.rand.Uint64(), Options{Size: d.o.Size})
	left := make(map[*node]*node)
	next.root = d.left(d.root, left)
	for _, n := range left {
		if !n.isDir {
			next.nodes[n] = true
		}
	}
	return next
}

// Kill ends the process, but the machine keeps running. Kill returns the disk as the service finds
// it at its next start, with all changes of the ended process.
func (d *Disk) Kill() *Disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	next := New(d.rand.Uint64(), Options{Size: d.o.Size})
	next.root, next.nodes = d.root, d.nodes
	d.root, d.nodes = newDir(), nil
	for n := range next.nodes {
		n.opens = 0
		next.release(n)
	}
	return next
}

// left returns the state of the node n after a crash.
func (d *Disk) left(n *node, known map[*node]*node) *node {
	if old := known[n]; old != nil {
		old.links++
		return old
	}
	after := &node{isDir: n.isDir, perm: n.perm, links: 1}
	known[n] = after
	if !n.isDir {
		after.data = n.afterCrash(d.rand)
		after.stable = after.data.clone()
		return after
	}
	n.settleEntries(d.rand.IntN(len(n.pending) + 1))
	after.entries, after.stableEntries = make(map[string]*node), make(map[string]*node)
	for _, name := range slices.Sorted(maps.Keys(n.stableEntries)) {
		to := d.left(n.stableEntries[name], known)
		after.entries[name], after.stableEntries[name] = to, to
	}
	return after
}
