package relay

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// reserved lists the headers of a post that are set by HTTP or by the relay itself.
var reserved = []string{
	"Accept-Encoding", "Authorization", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Expect", "Host",
	"Idempotency-Key", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
	http.CanonicalHeaderKey(attemptHeader), http.CanonicalHeaderKey(versionHeader), http.CanonicalHeaderKey(vmVersionHeader),
}

// CheckHeader returns an error if a header with the given name cannot be used for the tenant ID.
func CheckHeader(name string) error {
	for i := range len(name) {
		if c := name[i]; c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return errHeader
		}
	}
	if name == "" {
		return errHeader
	}
	if canonical := http.CanonicalHeaderKey(name); slices.Contains(reserved, canonical) || strings.HasPrefix(canonical, "Proxy-") {
		return errors.New("header is reserved by HTTP or the relay; use one like X-Scope-OrgID")
	}
	return nil
}

var errHeader = errors.New("not a valid header name")

// CheckLabels returns an error if the given labels cannot be used as tenant labels.
func CheckLabels(labels []string) error {
	if len(labels) == 0 {
		return errNoLabel
	}
	for i, label := range labels {
		switch {
		case label == "":
			return errNoLabel
		case slices.Contains(labels[:i], label):
			return fmt.Errorf("label %q is listed twice", label)
		}
	}
	return nil
}

var errNoLabel = errors.New("empty label")
