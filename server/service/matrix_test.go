package service

import (
	"slices"
	"testing"
)

// The kinds of bad actors, and the resources that they share with the good senders.
var (
	kinds     = []string{"slow", "dead", "refused", "over its limit", "malformed", "huge", "poisoned name", "full"}
	resources = []string{"socket", "body budget", "worker", "log", "lander", "catalog", "circuit"}
)

// cell is a combination of a kind of bad actor and a resource.
type cell struct{ kind, resource string }

// matrix lists the actors of TestIsolation that cover each cell.
var matrix = map[cell][]string{
	{"slow", "socket"}:           {"heads that do not end", "bodies that come slowly"},
	{"dead", "socket"}:           {"connections without a request", "answers that nobody reads", "requests that break off"},
	{"refused", "socket"}:        {"a token of another database"},
	{"over its limit", "socket"}: {"bodies that do not come, from one host"},
	{"malformed", "socket"}:      {"no rows and no series"},
	{"huge", "socket"}:           {"bodies over the limit"},
	{"poisoned name", "socket"}:  {"poisoned names"},

	{"slow", "body budget"}:           {"bodies that come slowly", "bodies of one host whose last byte does not come"},
	{"dead", "body budget"}:           {"bodies that do not come", "bodies that do not come, from one host", "requests that break off"},
	{"refused", "body budget"}:        {"a token of another database", "a credential for another tenant"},
	{"over its limit", "body budget"}: {"bodies over the limit"},
	{"malformed", "body budget"}:      {"no rows and no series"},
	{"huge", "body budget"}:           {"large bodies", "large bodies of series", "decompression bombs", "a hanging tenant with large requests"},
	{"full", "body budget"}:           {"a table whose disk is full"},

	{"slow", "worker"}:           {"the target answers slowly"},
	{"dead", "worker"}:           {"500 hanging tenants", "a hanging tenant with a backlog", "hanging tenants with more posts than connections"},
	{"refused", "worker"}:        {"the target answers 400", "the target answers 401", "the target answers 404", "the target answers 415", "tenants that the rules drop", "a credential that names endless foreign tenants", "a credential that names endless foreign tenants, with bounds of series"},
	{"over its limit", "worker"}: {"a tenant over its rate", "a tenant over its series", "many tenants", "the target answers 429"},
	{"malformed", "worker"}:      {"the target's answer does not end", "the target breaks off", "the target answers 307"},
	{"huge", "worker"}:           {"the target answers 413", "large bodies of series"},
	{"poisoned name", "worker"}:  {"poisoned names"},
	{"full", "worker"}:           {"the target answers 503", "the target answers 500"},

	{"over its limit", "log"}: {"a hanging tenant with a backlog", "tenants that fill the queue", "keys without end", "one key for all requests"},
	{"huge", "log"}:           {"large bodies"},
	{"full", "log"}:           {"a table whose disk is full"},

	{"dead", "lander"}:           {"a table whose disk fails", "a database whose disk fails"},
	{"over its limit", "lander"}: {"a flush without end", "many tables"},
	{"malformed", "lander"}:      {"columns of changing types"},
	{"huge", "lander"}:           {"many columns", "large bodies"},
	{"poisoned name", "lander"}:  {"poisoned names"},
	{"full", "lander"}:           {"a table whose disk is full"},

	{"refused", "catalog"}:        {"refused requests that name another's columns", "a token of another database"},
	{"over its limit", "catalog"}: {"many tables", "many columns"},
	{"malformed", "catalog"}:      {"columns of changing types", "no rows and no series"},
	{"huge", "catalog"}:           {"many columns"},
	{"poisoned name", "catalog"}:  {"poisoned names"},
	{"full", "catalog"}:           {"many tables", "a database of many tables"},

	{"slow", "circuit"}:           {"the target answers slowly"},
	{"dead", "circuit"}:           {"500 hanging tenants"},
	{"refused", "circuit"}:        {"the target answers 401", "the target answers 404"},
	{"over its limit", "circuit"}: {"the target answers 429"},
	{"malformed", "circuit"}:      {"the target breaks off", "the target's answer does not end"},
	{"huge", "circuit"}:           {"the target answers 413"},
	{"poisoned name", "circuit"}:  {"poisoned names"},
	{"full", "circuit"}:           {"the target answers 503"},
}

// excluded contains the reasons why cells have no actor.
var excluded = map[cell]string{
	{"full", "socket"}:               "a peer whose buffers are full does not read: that is a dead one",
	{"poisoned name", "body budget"}: "the budget counts bytes and hosts, and knows no names of the senders' choice",
	{"slow", "log"}:                  "the log has one disk, which is slow for all: the tests of package sim have slow disks",
	{"dead", "log"}:                  "the log has one disk, which is dead for all: the tests of package sim have disks that fail",
	{"refused", "log"}:               "what is refused does not reach the log",
	{"malformed", "log"}:             "what is malformed does not reach the log",
	{"poisoned name", "log"}:         "names that the catalog does not take do not reach the log",
	{"slow", "lander"}:               "the tables have one disk, which is slow for all: more landers help, see --landers",
	{"refused", "lander"}:            "what is refused does not land",
	{"slow", "catalog"}:              "the catalog has one disk, which is slow for all: the tests of package sim have slow disks",
	{"dead", "catalog"}:              "the catalog has one disk, which is dead for all: the tests of package sim have disks that fail",
}

// Each cell of the matrix has actors, or a reason for having none. Each actor covers a cell.
func TestMatrix(t *testing.T) {
	known, used := make(map[string]bool), make(map[string]bool)
	for _, a := range actors {
		if known[a.name] {
			t.Errorf("two actors have the name %q", a.name)
		}
		known[a.name] = true
	}
	for _, kind := range kinds {
		for _, resource := range resources {
			c := cell{kind, resource}
			if (len(matrix[c]) > 0) == (excluded[c] != "") {
				t.Errorf("%s at the %s: %d actors, and the reason %q for none", kind, resource, len(matrix[c]), excluded[c])
			}
		}
	}
	for c, names := range matrix {
		if !slices.Contains(kinds, c.kind) || !slices.Contains(resources, c.resource) {
			t.Errorf("there is no cell %v", c)
		}
		for _, name := range names {
			if used[name] = true; !known[name] {
				t.Errorf("%v: there is no actor %q", c, name)
			}
		}
	}
	for name := range known {
		if !used[name] {
			t.Errorf("the actor %q stands for no cell", name)
		}
	}
	if n := len(matrix) + len(excluded); n != len(kinds)*len(resources) {
		t.Errorf("%d cells of %d", n, len(kinds)*len(resources))
	}
}
