package child

import (
	"net"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	var end tail
	for range 100 {
		if n, err := end.Write([]byte(strings.Repeat("x", 99) + "\n")); n != 100 || err != nil {
			t.Fatalf("%d bytes, error %v", n, err)
		}
	}
	if _, err := end.Write([]byte("the last line\n")); err != nil {
		t.Fatal(err)
	}
	if s := end.String(); len(s) > tailBytes || !strings.HasSuffix(s, "x\nthe last line") {
		t.Errorf("kept %d bytes that end with %q", len(s), s[max(0, len(s)-20):])
	}
}

// Two processes never choose the same address, as long as their hosts differ.
func TestFreeAddress(t *testing.T) {
	hosts := make(map[string]bool)
	for range 20 {
		address, err := FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		host, _, _ := net.SplitHostPort(address)
		if ip := net.ParseIP(host); !ip.IsLoopback() || hosts[host] || host == "127.0.0.1" {
			t.Errorf("host %s", host)
		}
		hosts[host] = true
	}
}
