package service

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// A target whose name resolves to the service's own address is rejected.
func TestTargetIsTheRelayItself(t *testing.T) {
	resolve := func(_ context.Context, _, host string) ([]netip.Addr, error) {
		switch host {
		case "alias":
			return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::ffff:127.0.0.1")}, nil
		case "six":
			return []netip.Addr{netip.MustParseAddr("::1")}, nil
		case "elsewhere":
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}
		return nil, errors.New("no such host")
	}
	listen := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	for target, itself := range map[string]bool{
		"http://alias:8080/api/v1/push": true, "http://six:8080/{tenant}/push": true, "http://alias:9090": false, "http://alias": false,
		"http://elsewhere:8080": false, "http://unknown:8080": false,
	} {
		err := checkLoop([]string{"http://elsewhere:8080", target}, listen, resolve)
		if itself != (err != nil) || itself && !strings.Contains(err.Error(), "this is the relay's own address") {
			t.Errorf("%s: %v", target, err)
		}
	}
}
