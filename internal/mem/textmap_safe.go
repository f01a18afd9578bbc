//go:build !go1.26 || go1.27 || purego

package mem

// TextMaps is false, so PutText and PutTexts are never used.
const TextMaps = false

// PutText does nothing.
func PutText(m Pointer, key string, w uint64, size int) {}

// PutTexts does nothing.
func PutTexts(m Pointer, key, value string) {}
