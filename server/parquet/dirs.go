package parquet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipstream-go/slipstream/server/disk"
)

// dirs creates directories that survive a crash. Before a file in a directory counts as durable,
// dirs syncs the directory's entry in the parent directory. An earlier process may have created an
// existing directory just before a crash, without a sync. So each directory below the root is
// synced once per process.
type dirs struct {
	disk   disk.Disk
	root   string
	mu     disk.Mutex // held during a sync, so that no goroutine relies on an entry whose sync is not complete
	synced map[string]bool
}

// maxSynced limits the number of remembered directories. Most of them belong to old hours. If a
// directory is forgotten, it is only synced once more.
const maxSynced = 1 << 14

// ensure creates a directory below the root, and its missing parents, and syncs their entries.
func (d *dirs) ensure(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.synced == nil || len(d.synced) > maxSynced {
		d.synced = map[string]bool{d.root: true}
	}
	return d.make(dir)
}

func (d *dirs) make(dir string) error {
	if d.synced[dir] {
		return nil
	}
	parent := filepath.Dir(dir)
	if err := d.make(parent); err != nil {
		return err
	}
	_, err := disk.Mkdir(d.disk, dir)
	if errors.Is(err, fs.ErrNotExist) { // the root was removed
		err = disk.MkdirAll(d.disk, dir)
	}
	if err == nil {
		err = d.disk.SyncDir(parent) // even if dir existed: its entry may never have been synced
	}
	if err == nil {
		d.synced[dir] = true
	}
	return err
}

// create opens a new file in the directory. It creates the directory if needed, even if the
// directory was removed after an earlier call.
func (d *dirs) create(dir, path string) (disk.File, error) {
	for again := false; ; again = true {
		if err := d.ensure(dir); err != nil {
			return nil, err
		}
		f, err := d.disk.Open(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, disk.FileMode())
		if again || !errors.Is(err, fs.ErrNotExist) {
			return f, err
		}
		d.forget()
	}
}

// forget clears the list of synced directories, so that directories that may have been removed are
// created again.
func (d *dirs) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = nil
}
