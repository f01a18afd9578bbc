package config

import (
	"fmt"
	"io/fs"
	"strconv"
)

// Mode is the permissions of files, in octal.
type Mode fs.FileMode

// UnmarshalText parses an octal mode such as 0640. The owner must be able to read and write.
func (m *Mode) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 8, 32)
	if err != nil || n&^0o666 != 0 || n&0o600 != 0o600 {
		return fmt.Errorf("%q is not a file mode; write an octal mode such as 0600, 0640 or 0644", text)
	}
	*m = Mode(n)
	return nil
}
