package service

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync/atomic"
)

// certificates contains the listener's certificates with the latest content of their files. Open
// connections continue to use the certificates with which they began.
type certificates struct {
	cert, key, clients string
	current            atomic.Pointer[tls.Config]
}

// load implements watch.Load.
func (c *certificates) load(read func(path string) ([]byte, error)) error {
	cert, err := read(c.cert)
	if err != nil {
		return fmt.Errorf("--tls-cert: %w", err)
	}
	key, err := read(c.key)
	if err != nil {
		return fmt.Errorf("--tls-key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("--tls-cert and --tls-key: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if c.clients != "" {
		text, err := read(c.clients)
		if err != nil {
			return fmt.Errorf("--tls-client-ca: %w", err)
		}
		config.ClientAuth, config.ClientCAs = tls.VerifyClientCertIfGiven, x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(text) {
			return errors.New("--tls-client-ca: no certificate found")
		}
	}
	c.current.Store(config)
	return nil
}

// config returns the configuration for a listener. For each new connection, the listener uses the
// current certificates.
func (c *certificates) config() *tls.Config {
	return &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return c.current.Load(), nil }}
}
