// Package msgpwire is the alphabet of MessagePack: the codes (codes.go), what each of them
// announces (form.go), and values, headers and timestamps as bytes (append.go, time.go). Nothing
// here knows of Go types, options or streams.
package msgpwire
