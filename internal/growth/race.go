//go:build race

package growth

const raced = true
