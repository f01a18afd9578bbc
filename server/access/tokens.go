package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Tokens are the tokens that are accepted, and what each grants. The zero value has none: then
// everybody may do everything.
type Tokens struct {
	list []token
}

type token struct {
	sum   [sha256.Size]byte // comparing sums takes the same time whatever is compared
	grant *Grant
	place string // where it stands
}

// Len returns the number of tokens.
func (t *Tokens) Len() int { return len(t.list) }

// Add adds the token of a line, if the line is not blank. Errors, and later ones about the same
// token, call the line by its place.
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

// AddLines adds the tokens of a file. It is an error if there are none.
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

// grant returns what a secret grants; nil: it is no token. All are compared, so that the time tells
// nothing of which it was.
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

// secretOf returns the token of a request: Authorization: Bearer, or, as Arc's clients also send
// it, Authorization: Token or X-Api-Key. Empty: there is none.
func secretOf(r *http.Request) string {
	if scheme, text, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok &&
		(strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "Token")) {
		return strings.TrimSpace(text)
	}
	return r.Header.Get("X-Api-Key")
}
