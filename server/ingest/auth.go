package ingest

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// tokens are the bearer tokens that are accepted, as their sums: comparing sums takes the same time whatever is compared.
type tokens [][sha256.Size]byte

func newTokens(secrets []string) tokens {
	var t tokens
	for _, s := range secrets {
		t = append(t, sha256.Sum256([]byte(s)))
	}
	return t
}

// Allow reports whether a request carries one of the service's tokens, or whether none is asked for.
func (h *Handler) Allow(r *http.Request) bool { return h.tokens.Load().allow(r) }

// SetTokens replaces the tokens, for requests to come.
func (h *Handler) SetTokens(secrets []string) {
	t := newTokens(secrets)
	h.tokens.Store(&t)
}

// allow reports whether a request carries one of the tokens, or whether none is asked for.
func (t tokens) allow(r *http.Request) bool {
	if len(t) == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(tokenOf(r)))
	found := 0
	for i := range t {
		found |= subtle.ConstantTimeCompare(sum[:], t[i][:])
	}
	return found == 1
}

// tokenOf is the token of a request: Authorization: Bearer, or, as Arc's clients also send it, Authorization: Token or
// X-Api-Key.
func tokenOf(r *http.Request) string {
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok &&
		(strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token")) {
		return strings.TrimSpace(token)
	}
	return r.Header.Get("X-Api-Key")
}
