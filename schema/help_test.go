package schema

import (
	"errors"
	"testing"
)

// isError reports whether err has this cause, path and offset. An offset of -1 matches any offset.
func isError(err, cause error, path string, offset int) bool {
	var e *Error
	return errors.As(err, &e) && errors.Is(err, cause) && e.Path == path && (offset < 0 || e.Offset == int64(offset))
}

// checkPath expects Parse to fail with ErrShort at this path and offset.
func checkPath[T any](t *testing.T, s *Schema[T], b []byte, path string, offset int) {
	t.Helper()
	var v T
	if _, err := s.Parse(b, &v); !isError(err, ErrShort, path, offset) {
		t.Errorf("%+v, want %s at %d", err, path, offset)
	}
}
