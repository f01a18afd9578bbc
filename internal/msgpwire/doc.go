// Package msgpwire contains the basic parts of MessagePack: the codes (codes.go), the kind and the
// length field that each code implies (form.go), and the encoding of values, headers and timestamps
// (append.go, time.go). Go types, options and streams are handled elsewhere.
package msgpwire
