package config

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstream-go/slipstream/server/access"
)

func parse(t *testing.T, args ...string) (*Serve, error) {
	t.Helper()
	var s Serve
	k, err := kong.New(&s, Options()...)
	if err != nil {
		t.Fatal(err)
	}
	_, err = k.Parse(args)
	return &s, err
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDefaults(t *testing.T) {
	s, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	if s.Listen != "127.0.0.1:8080" || filepath.Base(s.Data) != "data" || s.Limits.MaxBody != 64<<20 || s.Seal.Age != 10*time.Second ||
		s.WAL.Segment != 128<<20 || s.Pprof != "" || s.Limits.MaxRows != 1<<20 || s.Timeout.Header != 5*time.Second {
		t.Errorf("%+v", s)
	}
	if tokens, err := s.Tokens(); err != nil || tokens.Len() != 0 {
		t.Errorf("tokens %v, %v", tokens, err)
	}
}

// A flag, an environment variable and a key of the configuration file set the same setting. The
// flag takes precedence over the variable, and the variable over the file.
func TestSources(t *testing.T) {
	file := write(t, `{"seal-age": "5s", "max_body": "2MiB", "max-rows": 77, "wal-max": 1000000, "insecure-no-auth": true, "log-level": "debug"}`)
	s, err := parse(t, "--config="+file)
	if err != nil {
		t.Fatal(err)
	}
	if s.Seal.Age != 5*time.Second || s.Limits.MaxBody != 2<<20 || s.Limits.MaxRows != 77 || s.WAL.Max != 1_000_000 || !s.InsecureNoAuth || s.LogLevel != -4 {
		t.Errorf("from the file: %+v", s)
	}
	t.Setenv("SLIPSTREAM_SEAL_AGE", "6s")
	t.Setenv("SLIPSTREAM_MAX_BODY", "3MiB")
	t.Setenv("SLIPSTREAM_CONFIG", "/nothing")
	if s, err = parse(t, "--config="+file, "--max-body=4MiB"); err != nil {
		t.Fatal(err)
	}
	if s.Seal.Age != 6*time.Second || s.Limits.MaxBody != 4<<20 || s.Limits.MaxRows != 77 {
		t.Errorf("with variables: %+v", s)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{"--listen=0.0.0.0:80"}, "--listen=0.0.0.0:80 accepts connections from other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=:80"}, "--listen=:80 accepts connections from other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=[::]:80"}, "--listen=[::]:80 accepts connections from other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=example.org:80"}, "--listen=example.org:80 accepts connections from other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=80"}, "--listen=80: must be host:port, for example 127.0.0.1:8080"},
		{[]string{"--pprof=0.0.0.0:6060"}, "--pprof=0.0.0.0:6060: must be a loopback address, for example 127.0.0.1:6060"},
		{[]string{"--pprof=:6060"}, "--pprof=:6060: must be a loopback address, for example 127.0.0.1:6060"},
		{[]string{"--tls-cert=x"}, "--tls-cert and --tls-key: set both or neither"},
		{[]string{"--tls-client-ca=x"}, "--tls-client-ca requires --tls-cert and --tls-key"},
		{[]string{"--seal-age=0s"}, "--seal-age=0: must be at least 1"},
		{[]string{"--max-rows=0"}, "--max-rows=0: must be at least 1"},
		{[]string{"--wal-max=-1"}, `--wal-max: "-1" is not a size; write bytes, or a number with KiB, MiB, GiB, kB, MB or GB`},
		{[]string{"--token-file=/nothing"}, "--token-file: open /nothing: no such file or directory"},
		{[]string{"--compression=lzma"}, `--compression: parquet: unknown codec "lzma"; use snappy, zstd or none`},
		{[]string{"--log-format=xml"}, `--log-format must be one of "text","json" but got "xml"`},
		{[]string{"--config=" + write(t, `{"seal-agee": "1s"}`)}, `the configuration file sets "seal-agee", which is not a setting; see --help`},
		{[]string{"--config=" + write(t, `[]`)}, "configuration file: must be a JSON object"},
	} {
		_, err := parse(t, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v\n got %v\nwant %s", c.args, err, c.text)
		}
	}
}

// wantTokens checks that there are n tokens, and that the given tokens may read.
func wantTokens(t *testing.T, s *Serve, n int, secrets ...string) {
	t.Helper()
	tokens, err := s.Tokens()
	if err != nil || tokens.Len() != n {
		t.Errorf("%d tokens, %v", tokens.Len(), err)
		return
	}
	g := access.NewGuard(tokens)
	for _, secret := range secrets {
		if r := (&http.Request{Header: http.Header{"X-Api-Key": {secret}}}); !g.Allows(r, access.Read, access.Own) {
			t.Errorf("%.20q is no token", secret)
		}
	}
}

func TestTokens(t *testing.T) {
	file := write(t, "# mine\n\n  first  \nsecond\n")
	t.Setenv("SLIPSTREAM_TOKEN", "third\n") // with a newline, as in a file
	s, err := parse(t, "--listen=0.0.0.0:80", "--token-file="+file)
	if err != nil {
		t.Fatal(err)
	}
	wantTokens(t, s, 3, "third", "first", "second")
	if _, err := parse(t, "--token-file="+write(t, "# none\n")); err == nil || !strings.Contains(err.Error(), "no token found; write one per line") {
		t.Errorf("%v", err)
	}
	t.Setenv("SLIPSTREAM_TOKEN", " \n")
	if s, err := parse(t); err != nil {
		t.Error(err)
	} else {
		wantTokens(t, s, 0)
	}
	long := strings.Repeat("x", 100_000)
	if s, err := parse(t, "--token-file="+write(t, "a\n"+long+"\nb")); err != nil {
		t.Error(err)
	} else {
		wantTokens(t, s, 3, "a", long, "b")
	}
	for setting, want := range map[string]string{
		"#third":                       "", // a token, not a comment
		"third db=a rights=read":       "",
		"third secret":                 "--token: unknown word after the token",
		"third\nfourth":                "--token: unknown word after the token",
		"first rights=read":            ": line 3: same token as --token with other rights or databases; remove one",
		"third rights=write,administr": "--token: rights= must be a comma-separated list of write, read, administer",
	} {
		t.Setenv("SLIPSTREAM_TOKEN", setting)
		s, err := parse(t, "--listen=0.0.0.0:80", "--token-file="+file)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "third") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%q: %v", setting, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", setting, err)
			continue
		}
		wantTokens(t, s, 3, strings.Fields(setting)[0], "first", "second")
	}
	t.Setenv("SLIPSTREAM_TOKEN", "")
	broken := write(t, "first\n\nsecond right=write\n")
	if _, err := parse(t, "--token-file="+broken); err == nil || !strings.Contains(err.Error(), "--token-file="+broken+": line 3: ") || strings.Contains(err.Error(), "second") {
		t.Errorf("%v", err)
	}
	if _, err := parse(t, "--token=secret"); err == nil || !strings.Contains(err.Error(), "--token-file") {
		t.Errorf("a token on the command line: %v", err)
	}
	t.Setenv("SLIPSTREAM_TOKEN", "")
	for _, listen := range []string{"127.0.0.1:80", "localhost:80", "[::1]:80", "127.1.2.3:0"} {
		if _, err := parse(t, "--listen="+listen); err != nil {
			t.Errorf("%s: %v", listen, err)
		}
	}
	if _, err := parse(t, "--listen=0.0.0.0:80", "--insecure-no-auth"); err != nil {
		t.Error(err)
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]Size{
		"0": 0, "1024": 1024, "64MiB": 64 << 20, "1.5 GiB": 3 << 29, "10MB": 10_000_000, "10 kB": 10_000, "7B": 7, "2TiB": 2 << 40,
		"9223372036854775807": 9223372036854775807,
	} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%s: %d, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1e300GiB", "NaN", "inf", "1 MiBs", "9223372036854775808"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is no size, but %d", text, s)
		}
	}
}

// Settings that cannot work are rejected at the start. The error names the flag and the remedy.
func TestNonsenseIsRefused(t *testing.T) {
	const target = "--relay.target=http://mimir:8080"
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{target, "--relay.user=u"}, "--relay.user and --relay.password-file: set both or neither"},
		{[]string{target, "--relay.user=a:b", "--relay.password-file=/p"}, "--relay.user: basic authentication does not allow a colon"},
		{[]string{target, "--relay.password-file=/p"}, "--relay.user and --relay.password-file: set both or neither"},
		{[]string{target, "--relay.user=u", "--relay.password-file=/p", "--relay.token-file=/t"}, "--relay.user and --relay.token-file: set only one"},
		{[]string{target, "--relay.cert=/c"}, "--relay.cert and --relay.key: set both or neither"},
		{[]string{target, "--relay.key=/k"}, "--relay.cert and --relay.key: set both or neither"},
		{[]string{"--relay.queue=q"}, "--relay.queue requires --relay.target"},
		{[]string{target, "--relay.tenant-default="}, "--relay.tenant-missing=default requires --relay.tenant-default"},
		{[]string{target, "--relay.too-many=418"}, "--relay.too-many"},
		{[]string{target, "--relay.rejected-tenant=default"}, "fail or drop"},
		{[]string{target, "--relay.dead-tenant=default"}, "fail or drop"},
		{[]string{target, "--relay.header=Host"}, `--relay.header=Host: header is reserved by HTTP or the relay; use one like X-Scope-OrgID`},
		{[]string{target, "--relay.header=content-length"}, "--relay.header=content-length: header is reserved by HTTP"},
		{[]string{target, "--relay.header=Content-Type"}, "--relay.header=Content-Type: header is reserved by HTTP"},
		{[]string{target, "--relay.header=authorization"}, "--relay.header=authorization: header is reserved by HTTP"},
		{[]string{target, "--relay.header=Transfer-Encoding"}, "--relay.header=Transfer-Encoding: header is reserved by HTTP"},
		{[]string{target, "--relay.header=X-Prometheus-Remote-Write-Version"}, "header is reserved by HTTP"},
		{[]string{target, "--relay.header="}, `--relay.header=: not a valid header name`},
		{[]string{target, "--relay.header=a b"}, `--relay.header=a b: not a valid header name`},
		{[]string{"--relay.tenant-label="}, "--relay.tenant-label: empty label"},
		{[]string{"--relay.tenant-label=a,,b"}, "--relay.tenant-label: empty label"},
		{[]string{"--relay.tenant-label=a,b,a"}, `--relay.tenant-label: label "a" is listed twice`},
		{[]string{"--relay.tenant-label=a,__name__", "--relay.tenant-remove"}, "--relay.tenant-remove cannot remove __name__"},
		{[]string{"--relay.target=http://127.0.0.1:8080/api/v1/push"}, "--relay.target=http://127.0.0.1:8080/api/v1/push: this is the relay's own address (--listen=127.0.0.1:8080)"},
		{[]string{"--relay.target=http://mimir:8080,http://localhost:8080/push"}, "--relay.target=http://localhost:8080/push: this is the relay's own address"},
		{[]string{"--listen=:8080", "--insecure-no-auth", "--relay.target=http://[::1]:8080"}, "this is the relay's own address"},
		{[]string{"--listen=127.0.0.1:80", "--relay.target=http://127.0.0.1"}, "this is the relay's own address"},
		{[]string{"--listen=10.255.255.1:8080", "--insecure-no-auth", "--relay.target=http://10.255.255.1:8080"}, "this is the relay's own address"},
		{[]string{target, "--relay.queue=q", "--relay.queue-max=1MiB"}, "--relay.queue-max=1048576: must be at least 33554560, so that the queue can hold one request of the size --relay.max-body"},
		{[]string{target, "--relay.queue=q", "--relay.queue-tenant-max=1MiB"}, "--relay.queue-tenant-max=1048576: must be at least 33554560"},
		{[]string{target, "--relay.queue=q", "--relay.queue-max-age=2h"}, "--relay.queue-max-age requires --relay.queue-drop-oldest"},
		{[]string{target, "--relay.queue=q", "--relay.queue-max-age=-2h", "--relay.queue-drop-oldest"}, "--relay.queue-max-age=-7200000000000: must be at least 0"},
		{[]string{target, "--relay.replicate"}, "--relay.replicate requires at least two --relay.target"},
		{[]string{target + ",http://b", "--relay.dead-target=drop"}, "--relay.dead-target=drop requires --relay.replicate"},
		{[]string{target + ",http://b", "--relay.replicate", "--relay.dead-target=drop", "--relay.queue=q"}, "--relay.dead-target=drop cannot be used with --relay.queue"},
		{[]string{target + ",http://b", "--relay.replicate", "--relay.dead-target=default"}, "fail or drop"},
		{[]string{target + ",http://b", "--relay.replicate", "--relay.queue=q", "--relay.queue-max=60MiB"}, "--relay.queue-max"},
		{[]string{target, "--relay.queue-drop-oldest"}, "--relay.queue-drop-oldest requires --relay.queue"},
		{[]string{"--config=" + write(t, `{"seal-age": "1s", "max-rows": 5, "seal-age": "2s"}`)}, `the configuration file sets "seal-age" twice`},
		{[]string{"--config=" + write(t, `{"seal-age": "1s", "seal_age": "1s"}`)}, `the configuration file sets "seal_age" twice`},
	} {
		_, err := parse(t, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v\n got %v\nwant %s", c.args, err, c.text)
		}
	}
}

// Settings that look invalid, but are valid, are accepted.
func TestSenseIsTaken(t *testing.T) {
	for _, args := range [][]string{
		{"--relay.target=http://127.0.0.1:9009/api/v1/push"},
		{"--listen=127.0.0.1:9009", "--relay.target=http://mimir:9009"},
		{"--listen=127.0.0.1:0", "--relay.target=http://127.0.0.1:1"},
		{"--relay.target=http://mimir:8080", "--relay.queue=q", "--relay.queue-max=1MiB", "--relay.queue-tenant-max=1MiB", "--relay.max-body=64KiB"},
		{"--relay.target=http://mimir:8080", "--relay.queue=q", "--relay.queue-drop-oldest", "--relay.queue-max-age=1h"},
		{"--relay.header=THANOS-TENANT", "--relay.target=http://mimir:8080"},
		{"--relay.tenant-label=__name__"},
	} {
		if _, err := parse(t, args...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}
