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

// A flag, a variable and a key of the file set the same; the flag wins, then the variable.
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
		{[]string{"--listen=0.0.0.0:80"}, "--listen=0.0.0.0:80 is open to other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=:80"}, "--listen=:80 is open to other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=[::]:80"}, "--listen=[::]:80 is open to other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=example.org:80"}, "--listen=example.org:80 is open to other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth"},
		{[]string{"--listen=80"}, "--listen=80: it must be host:port, as 127.0.0.1:8080"},
		{[]string{"--pprof=0.0.0.0:6060"}, "--pprof=0.0.0.0:6060: it must be an address of this machine alone, as 127.0.0.1:6060"},
		{[]string{"--pprof=:6060"}, "--pprof=:6060: it must be an address of this machine alone, as 127.0.0.1:6060"},
		{[]string{"--tls-cert=x"}, "--tls-cert and --tls-key: give both, or neither"},
		{[]string{"--tls-client-ca=x"}, "--tls-client-ca: the service does not speak TLS: give --tls-cert and --tls-key"},
		{[]string{"--seal-age=0s"}, "--seal-age=0: it must be at least 1"},
		{[]string{"--max-rows=0"}, "--max-rows=0: it must be at least 1"},
		{[]string{"--wal-max=-1"}, `--wal-max: "-1" is not a size: write bytes, or a number with KiB, MiB, GiB, kB, MB or GB`},
		{[]string{"--token-file=/nothing"}, "--token-file: open /nothing: no such file or directory"},
		{[]string{"--compression=lzma"}, `--compression: parquet: no codec "lzma"; use snappy, zstd or none`},
		{[]string{"--log-format=xml"}, `--log-format must be one of "text","json" but got "xml"`},
		{[]string{"--config=" + write(t, `{"seal-agee": "1s"}`)}, `the configuration file sets "seal-agee", which is no setting: see --help for their names`},
		{[]string{"--config=" + write(t, `[]`)}, "it must be a JSON object of settings"},
	} {
		_, err := parse(t, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v\n got %v\nwant %s", c.args, err, c.text)
		}
	}
}

// wantTokens checks that there are n tokens, and that these may read.
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
	t.Setenv("SLIPSTREAM_TOKEN", "third\n") // as of a file
	s, err := parse(t, "--listen=0.0.0.0:80", "--token-file="+file)
	if err != nil {
		t.Fatal(err)
	}
	wantTokens(t, s, 3, "third", "first", "second")
	if _, err := parse(t, "--token-file="+write(t, "# none\n")); err == nil || !strings.Contains(err.Error(), "there is no token in it; write one a line") {
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
		"#third":                       "", // which is no comment
		"third db=a rights=read":       "",
		"third secret":                 "--token: a word after the token is neither",
		"third\nfourth":                "--token: a word after the token is neither",
		"first rights=read":            ": line 3: it is the token of --token with other rights or databases: leave one out",
		"third rights=write,administr": "--token: rights= must list some of write, read, administer",
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

// Settings that cannot do what they say are refused at the start, with the name of the flag and what to do.
func TestNonsenseIsRefused(t *testing.T) {
	const target = "--relay.target=http://mimir:8080"
	for _, c := range []struct {
		args []string
		text string
	}{
		{[]string{target, "--relay.user=u"}, "--relay.user and --relay.password-file: give both, or neither"},
		{[]string{target, "--relay.user=a:b", "--relay.password-file=/p"}, "--relay.user: a name with a colon"},
		{[]string{target, "--relay.password-file=/p"}, "--relay.user and --relay.password-file: give both, or neither"},
		{[]string{target, "--relay.user=u", "--relay.password-file=/p", "--relay.token-file=/t"}, "--relay.user and --relay.token-file: give one of them"},
		{[]string{target, "--relay.cert=/c"}, "--relay.cert and --relay.key: give both, or neither"},
		{[]string{target, "--relay.key=/k"}, "--relay.cert and --relay.key: give both, or neither"},
		{[]string{"--relay.queue=q"}, "--relay.queue: a queue needs a --relay.target"},
		{[]string{target, "--relay.tenant-default="}, "--relay.tenant-missing=default: there is no --relay.tenant-default"},
		{[]string{target, "--relay.too-many=418"}, "--relay.too-many"},
		{[]string{target, "--relay.rejected-tenant=default"}, "fail or drop"},
		{[]string{target, "--relay.dead-tenant=default"}, "fail or drop"},
		{[]string{target, "--relay.header=Host"}, `--relay.header=Host: HTTP or the relay itself needs this header: use X-Scope-OrgID or one like it`},
		{[]string{target, "--relay.header=content-length"}, "--relay.header=content-length: HTTP or the relay itself"},
		{[]string{target, "--relay.header=Content-Type"}, "--relay.header=Content-Type: HTTP or the relay itself"},
		{[]string{target, "--relay.header=authorization"}, "--relay.header=authorization: HTTP or the relay itself"},
		{[]string{target, "--relay.header=Transfer-Encoding"}, "--relay.header=Transfer-Encoding: HTTP or the relay itself"},
		{[]string{target, "--relay.header=X-Prometheus-Remote-Write-Version"}, "HTTP or the relay itself"},
		{[]string{target, "--relay.header="}, `--relay.header=: it is not the name of a header`},
		{[]string{target, "--relay.header=a b"}, `--relay.header=a b: it is not the name of a header`},
		{[]string{"--relay.tenant-label="}, "--relay.tenant-label: a label is empty"},
		{[]string{"--relay.tenant-label=a,,b"}, "--relay.tenant-label: a label is empty"},
		{[]string{"--relay.tenant-label=a,b,a"}, `--relay.tenant-label: the label "a" is there twice`},
		{[]string{"--relay.tenant-label=a,__name__", "--relay.tenant-remove"}, "--relay.tenant-remove: series cannot do without __name__"},
		{[]string{"--relay.target=http://127.0.0.1:8080/api/v1/push"}, "--relay.target=http://127.0.0.1:8080/api/v1/push: this is the relay itself, which listens on 127.0.0.1:8080"},
		{[]string{"--relay.target=http://mimir:8080,http://localhost:8080/push"}, "--relay.target=http://localhost:8080/push: this is the relay itself"},
		{[]string{"--listen=:8080", "--insecure-no-auth", "--relay.target=http://[::1]:8080"}, "this is the relay itself"},
		{[]string{"--listen=127.0.0.1:80", "--relay.target=http://127.0.0.1"}, "this is the relay itself"},
		{[]string{"--listen=10.255.255.1:8080", "--insecure-no-auth", "--relay.target=http://10.255.255.1:8080"}, "this is the relay itself"},
		{[]string{target, "--relay.queue=q", "--relay.queue-max=1MiB"}, "--relay.queue-max=1048576: it must be at least 33554560, for one request of --relay.max-body to fit in"},
		{[]string{target, "--relay.queue=q", "--relay.queue-tenant-max=1MiB"}, "--relay.queue-tenant-max=1048576: it must be at least 33554560"},
		{[]string{target, "--relay.queue=q", "--relay.queue-max-age=2h"}, "--relay.queue-max-age: it works with --relay.queue-drop-oldest only"},
		{[]string{target, "--relay.queue=q", "--relay.queue-max-age=-2h", "--relay.queue-drop-oldest"}, "--relay.queue-max-age=-7200000000000: it must be at least 0"},
		{[]string{target, "--relay.replicate"}, "--relay.replicate: give two --relay.target at least"},
		{[]string{target + ",http://b", "--relay.dead-target=drop"}, "--relay.dead-target=drop: it works with --relay.replicate only"},
		{[]string{target + ",http://b", "--relay.replicate", "--relay.dead-target=drop", "--relay.queue=q"}, "--relay.dead-target=drop: it works without --relay.queue only"},
		{[]string{target + ",http://b", "--relay.replicate", "--relay.dead-target=default"}, "fail or drop"},
		{[]string{target + ",http://b", "--relay.replicate", "--relay.queue=q", "--relay.queue-max=60MiB"}, "--relay.queue-max"},
		{[]string{target, "--relay.queue-drop-oldest"}, "--relay.queue-drop-oldest: there is no --relay.queue"},
		{[]string{"--config=" + write(t, `{"seal-age": "1s", "max-rows": 5, "seal-age": "2s"}`)}, `the configuration file sets "seal-age" twice`},
		{[]string{"--config=" + write(t, `{"seal-age": "1s", "seal_age": "1s"}`)}, `the configuration file sets "seal_age" twice`},
	} {
		_, err := parse(t, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v\n got %v\nwant %s", c.args, err, c.text)
		}
	}
}

// What looks like nonsense and is none is taken.
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
