package schema

import (
	"errors"
	"testing"
)

// isError reports whether err has this cause and place; an offset of -1 is any.
func isError(err, cause error, path string, offset int) bool {
	var e *Error
	return errors.As(err, &e) && errors.Is(err, cause) && e.Path == path && (offset < 0 || e.Offset == int64(offset))
}

// checkPath wants b to be too short, there.
func checkPath[T any](t *testing.T, s *Schema[T], b []byte, path string, offset int) {
	t.Helper()
	var v T
	if _, err := s.Parse(b, &v); !isError(err, ErrShort, path, offset) {
		t.Errorf("%+v, want %s at %d", err, path, offset)
	}
}
