package ingest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	diskWrites = 100
	diskBytes  = 46_000 // size of a body in the main case
)

// syncTime returns the median time to write and sync one body in dir.
func syncTime(dir string) (time.Duration, error) {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return 0, fmt.Errorf("trying the disk: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	body := make([]byte, diskBytes)
	times := make([]time.Duration, diskWrites)
	for i := range times {
		start := time.Now()
		if _, err := f.Write(body); err != nil {
			return 0, fmt.Errorf("trying the disk: %w", err)
		}
		if err := f.Sync(); err != nil {
			return 0, fmt.Errorf("trying the disk: %w", err)
		}
		times[i] = time.Since(start)
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
