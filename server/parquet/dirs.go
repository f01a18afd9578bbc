package parquet

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipstream-go/slipstream/server/disk"
)

// dirs makes directories that survive a crash. It syncs the entry of a directory in its parent
// before a file in the directory counts as landed. An existing directory may have been made just
// before a crash of the process, without a sync. So each directory below the root is synced once
// per process.
type dirs struct {
	disk   disk.Disk
	root   string
	mu     disk.Mutex // held while syncing, so that no goroutine relies on an entry that another one is still syncing
	synced map[string]bool
}

// maxSynced limits the number of remembered directories, most of them of old hours. Forgetting a
// directory costs only another sync.
const maxSynced = 1 << 14

// ensure makes a directory below the root and its missing parents, and syncs their entries.
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

// create opens a new file in the directory. It makes the directory if needed, and makes it again if
// someone has removed it.
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
// made again.
func (d *dirs) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced = nil
}
