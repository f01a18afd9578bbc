//go:build !linux

package growth

import "time"

const hasClock = false

func threadTime() time.Duration { return 0 }
