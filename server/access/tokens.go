package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Tokens contains the accepted tokens and their grants. If it contains no tokens, like the zero
// value, every request has all rights.
type Tokens struct {
	list []token
}

type token struct {
	sum   [sha256.Size]byte // hash of the token; used because comparing hashes always takes the same time
	grant *Grant
	place string // where the token is defined
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(t.list) }

// Add adds the token of a line, if the line is not blank. The argument `place` describes the
// position of the line, for example by its number. Errors of this call contain `place`. Errors of
// later calls that concern the same token also contain it.
func (t *Tokens) Add(line, place string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	if err := t.add(words, place); err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

func (t *Tokens) add(words []string, place string) error {
	if strings.HasPrefix(words[0], databasesKey) || strings.HasPrefix(words[0], rightsKey) {
		return errors.New("missing token before db=… or rights=…")
	}
	grant, err := parseGrant(words[1:])
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(words[0]))
	for _, o := range t.list {
		if o.sum != sum {
			continue
		}
		if !o.grant.equal(grant) {
			return fmt.Errorf("same token as %s with other rights or databases; remove one", o.place)
		}
		return nil
	}
	t.list = append(t.list, token{sum, grant, place})
	return nil
}

// AddLines adds the tokens of a file. It returns an error if the file contains no tokens.
func (t *Tokens) AddLines(text string) error {
	found, n := false, 0
	for line := range strings.Lines(text) {
		n++
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		found = true
		if err := t.Add(line, fmt.Sprintf("line %d", n)); err != nil {
			return err
		}
	}
	if !found {
		return errors.New("no token found; write one per line")
	}
	return nil
}

// The method grant returns the grant of a secret, or nil if the secret is not a token. It compares
// the secret with all tokens, so that the duration does not reveal which token matches.
func (t *Tokens) grant(secret string) *Grant {
	sum := sha256.Sum256([]byte(secret))
	found := -1
	for i := range t.list {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], t.list[i].sum[:]), i, found)
	}
	if found < 0 {
		return nil
	}
	return t.list[found].grant
}

// secretOf returns the token of a request, or an empty string if the request contains no token. The
// token is in the header "Authorization: Bearer". Clients of Arc may use "Authorization: Token" or
// "X-Api-Key" instead.
func secretOf(r *http.Request) string {
	if scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok &&
		(strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token")) {
		return strings.TrimSpace(text)
	}
	return r.Header.Get("X-Api-Key")
}
