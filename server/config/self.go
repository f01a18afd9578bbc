package config

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
)

// IsSelf reports whether a target is the address on which the service listens. It does not use the
// network, so it may not recognize all names of this machine.
func IsSelf(target, listen string) bool {
	u, err := url.Parse(target)
	if err != nil {
		return false // the error is reported elsewhere
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	host, here, err := net.SplitHostPort(listen)
	if err != nil || port != here {
		return false
	}
	there := strings.ToLower(u.Hostname())
	if host = strings.ToLower(host); host == there || isLoopback(host) && isLoopback(there) {
		return true
	}
	if addr, err := netip.ParseAddr(host); host != "" && (err != nil || !addr.IsUnspecified()) {
		return false
	}
	return isThisMachine(there)
}

// isThisMachine reports whether a host is this machine.
func isThisMachine(host string) bool {
	if name, err := os.Hostname(); isLoopback(host) || err == nil && host == strings.ToLower(name) {
		return true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if addr.IsUnspecified() {
		return true
	}
	own, _ := net.InterfaceAddrs() // after an error, no address matches
	for _, a := range own {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr().Unmap() == addr.Unmap() {
			return true
		}
	}
	return false
}
