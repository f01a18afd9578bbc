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

// lookupTimeout limits the time for resolving names at the start. If a name is still unknown after
// this time, it may belong to a target that starts later.
const lookupTimeout = 2 * time.Second

// checkLoop returns an error if the name of a target resolves to this service, because the service
// would send each request to itself forever.
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
