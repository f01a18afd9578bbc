package table

import (
	"errors"
	"os"
	"path/filepath"
)

// ReplaceFile has the file hold text, durably: at any moment there is the old one or the new one.
func ReplaceFile(path string, text []byte) error {
	dir, base := filepath.Split(path)
	temp := filepath.Join(dir, "."+base+".tmp")
	if err := writeSynced(temp, text); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return err
	}
	return syncDir(dir)
}

func writeSynced(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
