package service

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/query"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// programDir is the directory of the built command. It is empty until program is called.
var programDir string

// program builds the command once for all tests, and returns its path.
var program = sync.OnceValues(func() (path string, err error) {
	if programDir, err = os.MkdirTemp("", "slipstream-test-"); err != nil {
		return "", err
	}
	path = filepath.Join(programDir, "slipstream")
	out, err := exec.Command("go", "build", "-o", path, "../cmd/slipstream").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if programDir != "" {
		os.RemoveAll(programDir)
	}
	os.Exit(code)
}

// child is a service in its own process.
type child struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	stderr *bytes.Buffer
	exited chan error
}

// start runs `slipstream serve` on a data directory, and returns when the service is ready.
func start(t *testing.T, dir string, args ...string) *child {
	t.Helper()
	return startUntil(t, "ready", dir, args...)
}

// startUntil runs `slipstream serve`, and returns when the service logs the message: listening or
// ready.
func startUntil(t *testing.T, message, dir string, args ...string) *child {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{t: t, stderr: new(bytes.Buffer), exited: make(chan error, 1)}
	c.cmd = exec.Command(path, append([]string{"serve", "--listen=127.0.0.1:0", "--log-format=json", "--data=" + dir,
		"--wal-segment=1MiB", "--wal-min-free=0", "--wal-reserve=0"}, args...)...)
	pipe, err := c.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cmd.Process.Kill() })
	ready := make(chan string, 1)
	go func() {
		url := ""
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			c.stderr.Write(lines.Bytes())
			c.stderr.WriteByte('\n')
			var line struct{ Msg, URL string }
			json.Unmarshal(lines.Bytes(), &line)
			if line.Msg == "listening" {
				url = line.URL
			}
			if line.Msg == message {
				ready <- url
			}
		}
		c.exited <- c.cmd.Wait()
	}()
	select {
	case c.url = <-ready:
	case err := <-c.exited:
		t.Fatalf("the service ended: %v\n%s", err, c.stderr)
	case <-time.After(patience):
		t.Fatal("the service is not ready")
	}
	return c
}

// end waits for the process to end.
func (c *child) end() error {
	c.t.Helper()
	select {
	case err := <-c.exited:
		return err
	case <-time.After(patience):
		c.t.Fatal("the service does not end")
		return nil
	}
}

// stop shuts the service down normally.
func (c *child) stop() {
	c.t.Helper()
	c.cmd.Process.Signal(syscall.SIGTERM)
	if err := c.end(); err != nil {
		c.t.Fatalf("after SIGTERM: %v\n%s", err, c.stderr)
	}
}

// ask sends a request, and returns the response. The arguments in `header` are keys and values in
// turn.
func ask(t *testing.T, client *http.Client, method, url string, body []byte, header ...string) reply {
	t.Helper()
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, string(text), resp.Header}
}

// postIn decodes the request of a post to a target.
func postIn(r *http.Request) (req remotewrite.Request, err error) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		body, err = s2.Decode(nil, body)
	}
	if err == nil {
		err = remotewrite.Decode(body, remotewrite.V1, &req)
	}
	return req, err
}

// as sends a request, with a token unless it is empty.
func as(t *testing.T, token, method, url string, body []byte, header ...string) (status int, text string) {
	t.Helper()
	if token != "" {
		header = append(header, "Authorization", "Bearer "+token)
	}
	a := ask(t, http.DefaultClient, method, url, body, header...)
	return a.status, a.text
}

// post sends a MessagePack body. An error means that there was no complete response.
func post(client *http.Client, url string, body []byte) (status int, text string, err error) {
	return postAs(client, url, "application/msgpack", body)
}

func postAs(client *http.Client, url, contentType string, body []byte) (status int, text string, err error) {
	resp, err := client.Post(url, contentType, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func pack(t testing.TB, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := msgpack.NewEncoder(&b).SetSortMapKeys(true).Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const patience = testkit.Patience

var waitFor = testkit.Eventually

// idsOf returns the number of occurrences of each id in the Parquet files below dir.
func idsOf(t *testing.T, dir string) map[int64]int {
	t.Helper()
	ids := make(map[int64]int)
	err := query.EachFile(dir, func(path string) error {
		return parquet.Scan(path, func(b *column.Batch) error {
			for _, id := range b.Find("id").Ints {
				ids[id]++
			}
			return nil
		})
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return ids
}

// sender posts rows with unique ids, and records the outcomes.
type sender struct {
	acknowledged, doubtful []int64 // first id of each batch
}

const perBatch = 20

// arcBatch returns a body with rows for two tables. The ids are first, first+1, …
func arcBatch(t testing.TB, first int64) []byte {
	half := func(table string, from int64) map[string]any {
		var times, ids []int64
		for i := range int64(perBatch / 2) {
			times = append(times, time.Now().UnixMicro()+i*1_000_000*600) // 10 minutes apart, so in several hours
			ids = append(ids, from+i)
		}
		return map[string]any{"m": table, "columns": map[string]any{"time": times, "id": ids}}
	}
	return pack(t, map[string]any{"batch": []any{half("even", first), half("odd", first+perBatch/2)}})
}

// write posts one batch and returns the response.
func write(t *testing.T, url string, s *sender, first int64) (int, string) {
	t.Helper()
	status, text, err := post(http.DefaultClient, url+"/api/v1/write/msgpack", arcBatch(t, first))
	if err != nil {
		t.Fatal(err)
	}
	if status == http.StatusNoContent {
		s.acknowledged = append(s.acknowledged, first)
	}
	return status, text
}

// postBatch posts rows with the ids first, first+1, … The number of the batch selects the format.
// With partial=true, the body also contains an invalid line.
func postBatch(t testing.TB, client *http.Client, base string, first int64) (status int, text string, err error) {
	var lines bytes.Buffer
	var times, ids []int64
	for i := range int64(perBatch) {
		times = append(times, time.Now().UnixMicro()+i*1_000_000*600)
		ids = append(ids, first+i)
		fmt.Fprintf(&lines, "{\"time\": %d, \"id\": %d}\n", times[i], ids[i])
	}
	url := base + "/v1/write/default/even"
	switch first / perBatch % 6 {
	case 0:
		columns, err := json.Marshal(map[string]any{"time": times, "id": ids})
		if err != nil {
			t.Fatal(err)
		}
		return postAs(client, url, "application/json", columns)
	case 1:
		rows := bytes.ReplaceAll(bytes.TrimSpace(lines.Bytes()), []byte("\n"), []byte(", "))
		return postAs(client, url, "application/json", fmt.Appendf(nil, "[%s]", rows))
	case 2:
		return postAs(client, url, "application/x-ndjson", lines.Bytes())
	case 3:
		status, text, err := postAs(client, url+"?partial=true", "application/x-ndjson", append([]byte("{\"id\": -1}}\n"), lines.Bytes()...))
		if err == nil && status == http.StatusOK {
			status = http.StatusNoContent
		}
		return status, text, err
	case 4:
		if status, text, err := register(client, base); err != nil || status >= http.StatusBadRequest {
			return status, text, err
		}
		body, err := coded.Append(nil, &columns{times, ids})
		if err != nil {
			t.Fatal(err)
		}
		return postAs(client, url, fmt.Sprintf("application/x-slipstream-schema; schema=ids; fingerprint=%x", coded.NamedFingerprint()), body)
	}
	return post(client, base+"/api/v1/write/msgpack", arcBatch(t, first))
}

type columns struct{ Times, IDs []int64 }

var coded = schema.Struct(
	schema.F("time", func(c *columns) *[]int64 { return &c.Times }, schema.List(schema.H32, schema.I64)),
	schema.F("id", func(c *columns) *[]int64 { return &c.IDs }, schema.List(schema.H32, schema.I64)))

// register registers the schema of columns, whether or not it already exists.
func register(client *http.Client, base string) (status int, text string, err error) {
	definition, err := json.Marshal(coded.Shape())
	if err != nil {
		return 0, "", err
	}
	r, err := http.NewRequest("PUT", base+"/v1/schemas/ids", bytes.NewReader(definition))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

// run sends batches until done is closed or the service does not respond.
func (s *sender) run(t *testing.T, base string, next func() int64, done <-chan struct{}) {
	client := &http.Client{Transport: &http.Transport{}, Timeout: patience}
	defer client.CloseIdleConnections()
	for {
		select {
		case <-done:
			return
		default:
		}
		first := next()
		status, text, err := postBatch(t, client, base, first)
		switch {
		case err != nil:
			s.doubtful = append(s.doubtful, first)
			return
		case status == http.StatusNoContent:
			s.acknowledged = append(s.acknowledged, first)
		default:
			t.Errorf("status %d: %s", status, text)
			return
		}
	}
}

// wantIDs checks that each acknowledged row occurs exactly once, each doubtful row at most once,
// and no other rows.
func wantIDs(t *testing.T, got map[int64]int, senders []*sender) (acknowledged int) {
	t.Helper()
	missing, twice, unknown := 0, 0, len(got)
	for _, s := range senders {
		for _, first := range s.acknowledged {
			for id := first; id < first+perBatch; id++ {
				acknowledged++
				switch got[id] {
				case 0:
					missing++
				case 1:
					unknown--
				default:
					unknown--
					twice++
				}
			}
		}
		for _, first := range s.doubtful {
			landed := 0
			for id := first; id < first+perBatch; id++ {
				if got[id] > 0 {
					unknown--
					landed++
				}
				if got[id] > 1 {
					twice++
				}
			}
			if landed != 0 && landed != perBatch {
				t.Errorf("%d of the %d rows of a request landed", landed, perBatch)
			}
		}
	}
	if missing+twice+unknown > 0 {
		t.Fatalf("of %d acknowledged rows %d are missing, %d landed more than once, %d landed and were never sent", acknowledged, missing, twice, unknown)
	}
	return acknowledged
}
