package service

import (
	"net/http"
	"strings"
	"testing"
)

// After a kill, a registered schema and the rows that were written with it still exist.
func TestSchema(t *testing.T) {
	dir := t.TempDir()
	c := start(t, dir, "--seal-age=1h")
	if status, text, err := register(http.DefaultClient, c.url); err != nil || status != http.StatusCreated {
		t.Fatal(status, text, err)
	}
	const turn = 4 * perBatch // a number for which postBatch uses the schema
	s := &sender{acknowledged: []int64{turn}}
	if status, text, err := postBatch(t, http.DefaultClient, c.url, turn); err != nil || status != http.StatusNoContent {
		t.Fatal(status, text, err)
	}
	c.cmd.Process.Kill()
	c.end()
	c = start(t, dir)
	if status, text, err := register(http.DefaultClient, c.url); err != nil || status != http.StatusOK || !strings.Contains(text, `"name":"ids"`) {
		t.Error(status, text, err)
	}
	c.stop()
	wantIDs(t, idsOf(t, dir+"/tables"), []*sender{s})
}
