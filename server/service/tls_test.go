package service

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/watch"
)

// copyFile overwrites the file to with the content of from.
func copyFile(t *testing.T, to, from string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// New connections use a new certificate. An invalid certificate is not used.
func TestCertificateReload(t *testing.T) {
	cert, key, old := certificate(t)
	newCert, newKey, young := certificate(t)
	s, stop := run(t, settings(t, "--tls-cert="+cert, "--tls-key="+key))
	wants := func(yes, no *http.Client) {
		t.Helper()
		old.CloseIdleConnections()
		young.CloseIdleConnections()
		if status, _ := get(t, yes, s.URL()+"/health"); status != 200 {
			t.Error(status)
		}
		if resp, err := no.Get(s.URL() + "/health"); err == nil {
			resp.Body.Close()
			t.Error("it has the other certificate")
		}
	}
	wants(old, young)
	copyFile(t, cert, newCert)
	s.Reload()
	wants(old, young) // the key does not match the new certificate
	if st := s.watcher.Stats(); st.Failures != 1 || st.Failed != 1 {
		t.Errorf("%+v", st)
	}
	copyFile(t, key, newKey)
	s.Reload()
	wants(young, old)
	young.CloseIdleConnections()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// signed returns a client certificate that the authority in the files has signed.
func signed(t *testing.T, cert, key string, until time.Time) tls.Certificate {
	t.Helper()
	authority, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{"agent"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: until,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority.Leaf, &private.PublicKey, authority.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
}

// A client certificate must be signed by an authority that is currently configured. This also holds
// for resumed sessions.
func TestClientCertificates(t *testing.T) {
	cert, key, anonymous := certificate(t)
	firstCA, firstKey, _ := certificate(t)
	secondCA, secondKey, _ := certificate(t)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	copyFile(t, ca, firstCA)

	certs := &certificates{cert: cert, key: key, clients: ca}
	w := &watch.Watcher{Logger: slog.New(slog.DiscardHandler)}
	if err := w.Add("test", certs.load); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS.DidResume {
			io.WriteString(w, "resumed ")
		}
		for _, chain := range r.TLS.VerifiedChains {
			io.WriteString(w, chain[0].DNSNames[0])
		}
	})}
	go server.Serve(tls.NewListener(l, certs.config()))
	defer server.Close()

	roots := anonymous.Transport.(*http.Transport).TLSClientConfig.RootCAs
	client := func(pair tls.Certificate) *http.Client {
		return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
			RootCAs: roots, Certificates: []tls.Certificate{pair}, ClientSessionCache: tls.NewLRUClientSessionCache(8),
		}}}
	}
	ask := func(c *http.Client) string {
		resp, err := c.Get("https://" + l.Addr().String())
		if err != nil {
			return "refused"
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	first, second := client(signed(t, firstCA, firstKey, time.Now().Add(time.Hour))), client(signed(t, secondCA, secondKey, time.Now().Add(time.Hour)))
	late := client(signed(t, firstCA, firstKey, time.Now().Add(-time.Minute)))
	// By default, a client does not send a certificate if the server does not name its authority.
	// GetClientCertificate makes it send the certificate.
	forced := func(c *http.Client) {
		config := c.Transport.(*http.Transport).TLSClientConfig
		pair := config.Certificates[0]
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	forced(second)
	for _, c := range []struct {
		who    string
		client *http.Client
		want   string
	}{{"no certificate", anonymous, ""}, {"good", first, "agent"}, {"good", first, "resumed agent"}, {"another authority", second, "refused"}, {"expired", late, "refused"}} {
		if got := ask(c.client); got != c.want {
			t.Errorf("%s: %q, want %q", c.who, got, c.want)
		}
	}
	copyFile(t, ca, secondCA)
	w.Reload()
	forced(first)
	if got := ask(first); got != "refused" {
		t.Errorf("of an authority that is no more: %q", got)
	}
	if got := ask(second); got != "agent" {
		t.Errorf("of the new authority: %q", got)
	}
	if err := os.WriteFile(ca, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Reload()
	if got := ask(second); got != "resumed agent" || w.Stats().Failures != 1 {
		t.Errorf("after a file that is wrong: %q, %+v", got, w.Stats())
	}
	if err := certs.load(os.ReadFile); err == nil || !strings.Contains(err.Error(), "--tls-client-ca: no certificate found") {
		t.Error(err)
	}
}
