package ingest

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/slipstream-go/slipstream/server/parquet"
)

// landed contains the totals of the Parquet files.
type landed struct {
	rows, bytes, files int64
}

// countLanded adds up the files below dir. It skips the file names that query engines skip.
func countLanded(dir string) (sum landed, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if name := entry.Name(); name[0] == '.' || name[0] == '_' || !strings.HasSuffix(name, ".parquet") {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		rows, err := parquet.Rows(path)
		if err != nil {
			return err
		}
		sum.rows += rows
		sum.bytes += info.Size()
		sum.files++
		return nil
	})
	return sum, err
}
