package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, path, text string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s: %q, %v; want %q", path, got, err, text)
	}
}

func TestPublish(t *testing.T) {
	dir := t.TempDir()
	temp, path := filepath.Join(dir, "temp"), filepath.Join(dir, "file")
	write(t, temp, "first")
	if err := Publish(OS, temp, path); err != nil {
		t.Fatal(err)
	}
	want(t, path, "first")
	if _, err := os.Lstat(temp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary file: %v", err)
	}
	write(t, temp, "second")
	if err := Publish(OS, temp, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over a file: %v", err)
	}
	want(t, path, "first")
}

func TestMkdirAll(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := MkdirAll(OS, filepath.Join(dir, "a", "b", "c")); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "file"), "")
	if err := MkdirAll(OS, filepath.Join(dir, "file")); err == nil {
		t.Error("a file was taken for a directory")
	}
	if err := MkdirAll(OS, filepath.Join(dir, "file", "below")); err == nil {
		t.Error("a directory was made in a file")
	}
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"one", "", "three"} {
		if err := WriteFile(OS, path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		want(t, path, text)
	}
}
