package relay

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// egress contains the settings for authentication to targets. It also contains the latest contents
// of the files that these settings name.
type egress struct {
	settings Egress
	agent    string
	header   string
	proof    atomic.Pointer[proof]
}

// proof contains the TLS configuration of connections, and the header values that identify the
// relay in posts.
type proof struct {
	tls           *tls.Config
	authorization string // value of the header; empty if there is no header
	agent         string
	tenantHeader  string // canonical name of the header with the tenant ID
}

// load reads the files of the settings. If it returns an error, the previous contents stay in
// effect.
func (e *egress) load(read func(path string) ([]byte, error)) error {
	p := &proof{tls: &tls.Config{MinVersion: tls.VersionTLS12}, agent: e.agent, tenantHeader: e.header}
	s := &e.settings
	if (s.Cert == "") != (s.Key == "") {
		return errors.New("set both the certificate for targets and its key, or neither")
	}
	if s.CA != "" {
		text, err := read(s.CA)
		if err != nil {
			return err
		}
		p.tls.RootCAs = x509.NewCertPool()
		if !p.tls.RootCAs.AppendCertsFromPEM(text) {
			return fmt.Errorf("%s: no certificate found", s.CA)
		}
	}
	if s.Cert != "" {
		cert, err := read(s.Cert)
		if err != nil {
			return err
		}
		key, err := read(s.Key)
		if err != nil {
			return err
		}
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			return fmt.Errorf("%s and %s: %w", s.Cert, s.Key, err)
		}
		p.tls.Certificates = []tls.Certificate{pair}
	}
	switch {
	case s.TokenFile != "" && s.User != "":
		return errors.New("set a token or a user for targets, not both")
	case (s.User == "") != (s.PasswordFile == ""):
		return errors.New("set both a user and a password file for targets, or neither")
	case s.TokenFile != "":
		token, err := readSecret(s.TokenFile, read)
		if err != nil {
			return err
		}
		p.authorization = "Bearer " + token
	case s.User != "":
		password, err := readSecret(s.PasswordFile, read)
		if err != nil {
			return err
		}
		p.authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(s.User+":"+password))
	}
	e.proof.Store(p)
	return nil
}

// readSecret returns the first line of a file, without surrounding spaces.
func readSecret(name string, read func(path string) ([]byte, error)) (string, error) {
	text, err := read(name)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", fmt.Errorf("%s: the first line is empty", name)
	}
	return line, nil
}
