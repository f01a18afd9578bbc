package service

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"

	"github.com/slipstream-go/slipstream/server/disk"
)

var nodeID = regexp.MustCompile(`^[0-9a-f]{12}$`)

// nodeOf returns the node name of a data directory. The name consists of 12 random hexadecimal
// digits. It is generated once, and stored in the file named node.
func nodeOf(d disk.Disk, data string) (string, error) {
	path := filepath.Join(data, "node")
	text, err := disk.ReadFile(d, path)
	switch {
	case err == nil && nodeID.Match(text):
		return string(text), nil
	case err == nil:
		return "", fmt.Errorf("--data: %s does not contain a node name of 12 hexadecimal digits: remove the file, or set --node", path)
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("--data: %w", err)
	}
	var id [6]byte
	rand.Read(id[:]) // never fails
	node := hex.EncodeToString(id[:])
	if err := disk.WriteFile(d, path, []byte(node)); err != nil {
		return "", fmt.Errorf("--data: %w", err)
	}
	return node, nil
}
