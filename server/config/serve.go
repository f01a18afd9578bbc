package config

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/parquet"
)

// Serve contains the settings of `slipstream serve`.
type Serve struct {
	Config kong.ConfigFlag `help:"Configuration file in JSON format." placeholder:"FILE" env:"-"`

	Listen string `help:"Address on which the service listens." default:"127.0.0.1:8080"`
	Data   string `help:"Data directory, which contains the write-ahead log and the tables." default:"./data" type:"path"`
	Node   string `help:"Node name, used as a file-name prefix. The name must be unique among writers. Default: an ID that is generated at the first start and stored in --data." placeholder:"NAME"`

	FileMode Mode `help:"Permissions of log files and table files, in octal. Directories also get the execute bit for everyone who has the read bit." default:"0600"`

	Token          string `help:"Access token, in the format of a line of --token-file. The token is not accepted on the command line: use --token-file, the environment or the configuration file." placeholder:"TOKEN" env:"SLIPSTREAM_TOKEN"`
	TokenFile      string `help:"File that contains one access token per line. A token grants all rights on all databases, unless words after the token restrict it: TOKEN db=metrics,logs rights=write. The rights are write, read (tables, schemas, metrics) and administer (flush, drop, alter, schemas). The service reads the file again when it changes." type:"path" placeholder:"FILE"`
	InsecureNoAuth bool   `help:"Allow the service to listen on a non-loopback address without an access token."`
	TLSCert        string `help:"PEM file of the TLS certificate chain. This flag enables TLS." name:"tls-cert" type:"path" placeholder:"FILE"`
	TLSKey         string `help:"PEM file of the TLS private key." name:"tls-key" type:"path" placeholder:"FILE"`
	TLSClientCA    string `help:"PEM file of the CA certificates that verify client certificates. If a client presents a certificate, one of these CAs must have signed it." name:"tls-client-ca" type:"path" placeholder:"FILE"`
	Pprof          string `help:"Loopback address on which net/http/pprof is served. By default, it is disabled." placeholder:"ADDRESS"`

	LogLevel  slog.Level `help:"Log level: debug, info, warn or error." default:"info"`
	LogFormat string     `help:"Log format: text or json." enum:"text,json" default:"text"`

	Relay   Relay   `embed:"" prefix:"relay." group:"Remote Write"`
	Limits  Limits  `embed:"" group:"Limits"`
	Seal    Seal    `embed:"" prefix:"seal-" group:"Landing"`
	Landing Landing `embed:"" group:"Landing"`
	WAL     WAL     `embed:"" prefix:"wal-" group:"Write-ahead log"`
	Timeout Timeout `embed:"" prefix:"timeout-" group:"Timeouts"`
}

// Limits contains the limits of requests. A request that exceeds a limit is rejected.
type Limits struct {
	MaxBody         Size `help:"Maximum size of a request body as received." default:"64MiB"`
	MaxDecompressed Size `help:"Maximum size of a request body after decompression." default:"256MiB"`
	MaxRatio        int  `help:"Maximum decompression ratio, enforced after the first MiB." default:"200"`
	MaxInFlight     Size `help:"Maximum total size of the request bodies in memory. If a request exceeds it, the status is 429 (503 for Remote Write). One client may use at most half of the memory that the other clients leave free." default:"256MiB"`
	MinRate         Size `help:"Minimum upload rate in bytes per second, averaged over 5 s. A slower request gets 408. 0 means no minimum." default:"4KiB"`
	MaxRows         int  `help:"Maximum number of rows per request." default:"1048576"`
	MaxColumns      int  `help:"Maximum number of columns per table." default:"4096"`
	MaxTables       int  `help:"Maximum number of tables. If there are several databases, each database may have at most four times as many tables as can still be created." default:"10000"`
	MaxHeader       Size `help:"Maximum size of request headers." default:"16KiB"`

	IdempotencyWindow time.Duration `help:"Time for which the Idempotency-Key of a stored request is remembered." default:"1h"`
}

// Seal defines when the buffered rows of a table are written to a file.
type Seal struct {
	Rows  int           `help:"Number of buffered rows at which a table is flushed to a file." default:"1048576"`
	Bytes Size          `help:"Memory of buffered rows at which a table is flushed to a file." default:"128MiB"`
	Age   time.Duration `help:"Age of the oldest buffered row at which a table is flushed to a file." default:"10s"`
}

// Landing contains the settings for writing rows to files.
type Landing struct {
	MaxBuffered Size          `help:"Maximum memory for buffered rows. Above half of this limit, requests are delayed. Above the limit, requests get 429." default:"192MiB"`
	Landers     int           `help:"Maximum number of tables that are flushed concurrently." default:"2"`
	Compression parquet.Codec `help:"Compression of Parquet files: snappy, zstd or none." default:"snappy"`
}

// WAL contains the settings of the write-ahead log.
type WAL struct {
	Segment Size `help:"Size of a log segment; at most 1/16 of the volume." default:"128MiB"`
	Max     Size `help:"Maximum size of the log. If the log is full, writes get 429. 0 means no limit." default:"4GiB"`
	MinFree Size `help:"Minimum free disk space; at most 1/4 of the volume. If less space is free, writes get 503." default:"64MiB"`
	Reserve Size `help:"Disk space that is reserved for flushing and recovery when the disk is full; at most 1/16 of the volume." default:"64MiB"`
}

// Timeout contains the time limits of the service.
type Timeout struct {
	Header   time.Duration `help:"Maximum time to receive request headers." default:"5s"`
	Read     time.Duration `help:"Maximum time to receive a request." default:"60s"`
	Idle     time.Duration `help:"Maximum time that a connection may be idle." default:"2m"`
	Drain    time.Duration `help:"Time from the first 503 of /ready until the service stops listening, so that load balancers can react." default:"0s"`
	Shutdown time.Duration `help:"Maximum time to finish requests and flush rows at shutdown. Rows that are not flushed in this time are flushed after the next start." default:"30s"`
}

// Validate returns an error if the settings are invalid. It is called by kong.
func (s *Serve) Validate() error {
	host, _, err := net.SplitHostPort(s.Listen)
	if err != nil {
		return fmt.Errorf("--listen=%s: must be host:port, for example 127.0.0.1:8080", s.Listen)
	}
	if s.Pprof != "" {
		host, _, err := net.SplitHostPort(s.Pprof)
		if err != nil || !isLoopback(host) {
			return fmt.Errorf("--pprof=%s: must be a loopback address, for example 127.0.0.1:6060", s.Pprof)
		}
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key: set both or neither")
	}
	if s.TLSClientCA != "" && s.TLSCert == "" {
		return errors.New("--tls-client-ca requires --tls-cert and --tls-key")
	}
	if err := s.checkNumbers(); err != nil {
		return err
	}
	if err := s.Relay.check(s.Listen); err != nil {
		return err
	}
	tokens, err := s.Tokens()
	if err != nil {
		return err
	}
	if tokens.Len() == 0 && !isLoopback(host) && !s.InsecureNoAuth {
		return fmt.Errorf("--listen=%s accepts connections from other machines: set --token-file or SLIPSTREAM_TOKEN, or --insecure-no-auth", s.Listen)
	}
	return nil
}

func (s *Serve) checkNumbers() error {
	for _, n := range []struct {
		flag  string
		value int64
		least int64
	}{
		{"max-body", int64(s.Limits.MaxBody), 1}, {"max-decompressed", int64(s.Limits.MaxDecompressed), 1},
		{"max-ratio", int64(s.Limits.MaxRatio), 1}, {"max-in-flight", int64(s.Limits.MaxInFlight), 1},
		{"min-rate", int64(s.Limits.MinRate), 0},
		{"max-rows", int64(s.Limits.MaxRows), 1}, {"max-columns", int64(s.Limits.MaxColumns), 1},
		{"idempotency-window", int64(s.Limits.IdempotencyWindow), 1},
		{"max-tables", int64(s.Limits.MaxTables), 1}, {"max-header", int64(s.Limits.MaxHeader), 1 << 10},
		{"seal-rows", int64(s.Seal.Rows), 1}, {"seal-bytes", int64(s.Seal.Bytes), 1}, {"seal-age", int64(s.Seal.Age), 1},
		{"max-buffered", int64(s.Landing.MaxBuffered), 1}, {"landers", int64(s.Landing.Landers), 1},
		{"wal-segment", int64(s.WAL.Segment), 4 << 10}, {"wal-max", int64(s.WAL.Max), 0},
		{"wal-min-free", int64(s.WAL.MinFree), 0}, {"wal-reserve", int64(s.WAL.Reserve), 0},
		{"timeout-header", int64(s.Timeout.Header), 1}, {"timeout-read", int64(s.Timeout.Read), 1},
		{"timeout-idle", int64(s.Timeout.Idle), 1}, {"timeout-drain", int64(s.Timeout.Drain), 0},
		{"timeout-shutdown", int64(s.Timeout.Shutdown), 1},
		{"relay.timeout", int64(s.Relay.Timeout), 1}, {"relay.conns", int64(s.Relay.Conns), 1}, {"relay.conn-age", int64(s.Relay.ConnAge), 1},
		{"relay.max-body", int64(s.Relay.MaxBody), 1}, {"relay.max-decoded", int64(s.Relay.MaxDecoded), 1},
		{"relay.max-tenants", int64(s.Relay.MaxTenants), 1}, {"relay.max-series", int64(s.Relay.MaxSeries), 1}, {"relay.queue-max", int64(s.Relay.QueueMax), 1},
		{"relay.queue-tenant-max", int64(s.Relay.QueueTenantMax), 1}, {"relay.queue-workers", int64(s.Relay.QueueWorkers), 1},
		{"relay.queue-max-age", int64(s.Relay.QueueMaxAge), 0},
	} {
		if n.value < n.least {
			return fmt.Errorf("--%s=%d: must be at least %d", n.flag, n.value, n.least)
		}
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// AfterApply returns an error if the command line contains the token, because all users of the
// machine can read command lines. It is called by kong.
func (s *Serve) AfterApply(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == "token" && !p.Resolved {
			return errors.New("--token: every user of this machine can read command lines; use --token-file or SLIPSTREAM_TOKEN")
		}
	}
	return nil
}

// Tokens returns the token of the setting --token and the tokens of --token-file.
func (s *Serve) Tokens() (*access.Tokens, error) { return s.ReadTokens(os.ReadFile) }

// ReadTokens is like Tokens, but reads the file with the function `read`.
func (s *Serve) ReadTokens(read func(path string) ([]byte, error)) (*access.Tokens, error) {
	tokens := &access.Tokens{}
	if err := tokens.Add(s.Token, "--token"); err != nil {
		return nil, err
	}
	if s.TokenFile == "" {
		return tokens, nil
	}
	text, err := read(s.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("--token-file: %w", err)
	}
	if err := tokens.AddLines(string(text)); err != nil {
		return nil, fmt.Errorf("--token-file=%s: %w", s.TokenFile, err)
	}
	return tokens, nil
}

// NewLogger returns a logger that writes to w, with the level and format of the settings.
func (s *Serve) NewLogger(w io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
