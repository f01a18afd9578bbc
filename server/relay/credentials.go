package relay

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/internal/jsonfault"
)

// maxSecret is the maximum length of a secret, both in the rules and in the header of a request
// after the scheme. Longer secrets are rejected before they are hashed.
const maxSecret = 8 << 10

// credentials contains the credentials that the rules accept. It contains hashes of the secrets,
// because the comparison of hashes takes the same time for all secrets.
type credentials struct {
	list         []*credential
	secrets      []secret
	certificates map[string]*credential
}

// credential is the credential of one client.
type credential struct {
	name     string
	prefix   string // prepended to the tenant names that the client uses
	exact    map[string]bool
	prefixes []string
}

type secret struct {
	sum [sha256.Size]byte // as returned by sumOf
	of  *credential
}

// anybody is the credential of every client if the rules define no credentials.
var anybody = &credential{name: "anybody", prefixes: []string{""}}

func (c *credentials) parse(p *problems, text []byte, read func(name string) ([]byte, error)) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		p.add("credentials", "%w", jsonfault.Plain(err))
	} else if len(list) == 0 {
		p.add("credentials", "the list is empty: omit the key to let anybody write")
	}
	c.certificates = make(map[string]*credential)
	for i, text := range list {
		c.parseOne(p, fmt.Sprintf("credentials[%d]", i), text, read)
	}
}

func (c *credentials) parseOne(p *problems, place string, text []byte, read func(name string) ([]byte, error)) {
	one := &credential{exact: make(map[string]bool)}
	var k keys
	var tenants []string
	p.readObject(place, text, map[string]any{
		"name": &one.name, "token": &k.token, "token_file": &k.tokenFile, "user": &k.user, "password": &k.password,
		"password_file": &k.passwordFile, "certificate": &k.certificate, "tenants": &tenants, "prefix": &one.prefix,
	})
	if one.name == "" {
		p.add(place, "name is missing: it identifies the client in logs")
	} else if slices.ContainsFunc(c.list, func(o *credential) bool { return o.name == one.name }) {
		p.add(place, "the name %q is used by another credential", clip(one.name))
	}
	if checkAnyTenant([]byte(one.prefix+"1")) != nil {
		p.add(place, "prefix: %w", checkTenant([]byte(one.prefix+"1")))
	}
	c.list = append(c.list, one)
	if len(tenants) == 0 {
		p.add(place, `tenants is missing: list the tenants for which the client may write, or "*"`)
	}
	for _, t := range tenants {
		if prefix, ok := strings.CutSuffix(t, "*"); ok {
			one.prefixes = append(one.prefixes, prefix)
		} else {
			one.exact[t] = true
		}
	}
	if err := c.addKeys(one, k, read); err != nil {
		p.add(place, "%w", err)
	}
}

// keys contains the values in the rules file that identify a client.
type keys struct{ token, tokenFile, user, password, passwordFile, certificate string }

func (c *credentials) addKeys(one *credential, k keys, read func(name string) ([]byte, error)) error {
	given := 0
	for _, s := range []string{k.token, k.tokenFile, k.password, k.passwordFile, k.certificate} {
		if s != "" {
			given++
		}
	}
	if given != 1 || (k.user == "") != (k.password+k.passwordFile == "") {
		return errors.New("must have one of these: token, token_file, user with password, user with password_file, or certificate")
	}
	switch {
	case k.certificate != "":
		if of := c.certificates[k.certificate]; of != nil {
			return fmt.Errorf("certificate: also used by %q", clip(of.name))
		}
		c.certificates[k.certificate] = one
		return nil
	case k.token != "":
		return c.add(one, "bearer", k.token)
	case k.tokenFile != "":
		text, err := read(k.tokenFile)
		if err != nil {
			return fmt.Errorf("token_file: %w", err)
		}
		return c.addTokens(one, text)
	case k.passwordFile != "":
		text, err := read(k.passwordFile)
		if err != nil {
			return fmt.Errorf("password_file: %w", err)
		}
		if k.password = strings.TrimRight(string(text), "\r\n"); k.password == "" {
			return errors.New("password_file: empty")
		}
	}
	if strings.Contains(k.user, ":") {
		return errors.New("user: must not contain a colon")
	}
	return c.add(one, "basic", k.user+":"+k.password)
}

// addTokens adds the tokens of a file that contains one token per line. To replace a token without
// an interruption, an operator adds the new token before removing the old token. Empty lines and
// lines that begin with # are ignored.
func (c *credentials) addTokens(one *credential, text []byte) error {
	had := len(c.secrets)
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			if err := c.add(one, "bearer", string(line)); err != nil {
				return err
			}
		}
	}
	if len(c.secrets) == had {
		return errors.New("token_file: no token found; write one per line")
	}
	return nil
}

func (c *credentials) add(one *credential, scheme, text string) error {
	if len(text) > maxSecret {
		return fmt.Errorf("secret longer than %d bytes", maxSecret)
	}
	sum := sumOf(scheme, text)
	for _, s := range c.secrets {
		if s.sum == sum {
			return fmt.Errorf("secret also used by %q", clip(s.of.name))
		}
	}
	c.secrets = append(c.secrets, secret{sum, one})
	return nil
}

// sumOf returns a hash of a scheme and a secret. Because the hash includes the scheme, a token and
// a user name with a password never have the same hash, even if their texts are equal.
func sumOf(scheme, text string) [sha256.Size]byte { return sha256.Sum256([]byte(scheme + " " + text)) }

// authenticate returns the credential of a request, or false if the request has no valid
// credential. If the request has an Authorization header, authenticate checks only the header.
// Otherwise it checks the client certificate: its common name, DNS names and URIs.
func (c *credentials) authenticate(req *http.Request) (*credential, bool) {
	if len(c.list) == 0 {
		return anybody, true
	}
	if header := req.Header.Get("Authorization"); header != "" {
		return c.bySecret(header)
	}
	if req.TLS == nil || len(req.TLS.VerifiedChains) == 0 {
		return nil, false
	}
	leaf := req.TLS.VerifiedChains[0][0]
	names := append([]string{leaf.Subject.CommonName}, leaf.DNSNames...)
	for _, u := range leaf.URIs {
		names = append(names, u.String())
	}
	for _, name := range names {
		if one := c.certificates[name]; one != nil {
			return one, true
		}
	}
	return nil, false
}

func (c *credentials) bySecret(header string) (*credential, bool) {
	scheme, text, _ := strings.Cut(header, " ")
	text = strings.TrimSpace(text)
	switch {
	case strings.EqualFold(scheme, "Bearer") && len(text) <= maxSecret:
		return c.bySum(sumOf("bearer", text))
	case strings.EqualFold(scheme, "Basic") && len(text) <= base64.StdEncoding.EncodedLen(maxSecret):
		if b, err := base64.StdEncoding.DecodeString(text); err == nil {
			return c.bySum(sumOf("basic", string(b)))
		}
	}
	return nil, false
}

// bySum returns the credential whose secret has the hash `sum`. It always compares `sum` with the
// hashes of all secrets, so that the duration does not reveal which hash matches.
func (c *credentials) bySum(sum [sha256.Size]byte) (*credential, bool) {
	found := -1
	for i := range c.secrets {
		found = subtle.ConstantTimeSelect(subtle.ConstantTimeCompare(sum[:], c.secrets[i].sum[:]), i, found)
	}
	if found < 0 {
		return nil, false
	}
	return c.secrets[found].of, true
}

// allows reports whether the client may write for a tenant. The argument is the tenant name that
// the client uses, without the prefix of the credential.
func (c *credential) allows(tenant []byte) bool {
	if c.exact[string(tenant)] {
		return true
	}
	for _, prefix := range c.prefixes {
		if len(tenant) >= len(prefix) && string(tenant[:len(prefix)]) == prefix {
			return true
		}
	}
	return false
}
