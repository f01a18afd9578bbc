package service

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"github.com/slipstream-go/slipstream/server/config"
)

// lookup is a function that resolves a host name.
type lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)

// lookupTimeout is the maximum time for resolving host names when the service starts. If a name
// cannot be resolved within this time, the service starts anyway, because the target may start
// later.
const lookupTimeout = 2 * time.Second

// checkLoop returns an error if the host name of a target resolves to this service. With such a
// target, the service would send each request to itself forever.
func checkLoop(targets []string, listen net.Addr, resolve lookup) error {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	for _, target := range targets {
		u, err := url.Parse(target)
		if err != nil {
			continue // the error is reported elsewhere
		}
		addrs, _ := resolve(ctx, "ip", u.Hostname())
		for _, addr := range addrs {
			resolved := *u
			if resolved.Host = addr.Unmap().String(); addr.Unmap().Is6() {
				resolved.Host = "[" + resolved.Host + "]"
			}
			if port := u.Port(); port != "" {
				resolved.Host += ":" + port
			}
			if config.IsSelf(resolved.String(), listen.String()) {
				return fmt.Errorf("--relay.target=%s: this is the relay's own address, --listen=%v (%s is %v)", target, listen, u.Hostname(), addr)
			}
		}
	}
	return nil
}
