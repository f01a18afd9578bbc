// Package remotewrite reads and writes the bodies of Prometheus Remote Write requests, versions 1.0
// and 2.0, after decompression.
//
// # Levels
//
//	Scanner            views of the body: series, labels, samples, exemplars, histograms, metadata
//	Splitter           splits a request by a label; each part is a request with unchanged series
//	Decode, Append     the body as Go values, and back
//
// A reused Scanner or Splitter does not allocate. A Scanner is the fastest, because it only locates
// fields. A Splitter also copies series, and Decode builds Go values for the whole request. Use the
// first of these that is sufficient.
//
// # Bytes
//
// A protobuf message is a sequence of fields. A field is a tag, number<<3 | wire type, and a value.
// Numbers are varints with 7 bits per byte, lowest bits first. Strings and messages are
// length-prefixed.
//
//	version 1                                   version 2
//	0a len  a series                            22 len  a symbol; the first is empty
//	   0a len  a label                          2a len  a series
//	      0a len name                              0a len  references to symbols: name, value, name, value …
//	      12 len value
//	   12 len  a sample                            12 len  a sample
//	      09 value: float64                           09 value: float64
//	      10 timestamp: milliseconds                  10 timestamp: milliseconds
//	                                                  18 start timestamp
//	   1a len  an exemplar                         22 len  an exemplar
//	   22 len  a histogram                         1a len  a histogram
//	1a len  metadata of a family of metrics        2a len  metadata of the series
//
// Note that in version 2, the field numbers of exemplars and histograms are exchanged. The file
// schema.go contains the whole schema, as .proto text and as tables.
//
// The package accepts everything that a protobuf parser must accept. Fields may be in any order.
// They may be repeated: the last value of a field is used, except that metadata of version 2 is
// merged. Varints may be longer than necessary. Repeated numbers may be packed, in separate fields,
// or both. Unknown fields may have any wire type, including groups. In version 2, symbols may
// follow the series that refer to them.
//
// # Errors
//
// An *[Error] contains the cause, the offset in the body and the path of the field. The package
// returns an error for every body that Prometheus' own parsers (packages prompb and writev2)
// reject. It also returns an error in the following cases, in which these parsers return no error:
//
//   - a varint of more than 64 bits: they ignore the extra bits;
//   - a field number above 2^29-1: they ignore the extra bits, and may confuse the field with a
//     field of another number;
//   - a packed number that continues beyond its field: they also read the bytes after the field;
//   - a body that contains no field of its version, but fields of the other version: [ErrVersion].
//     They return an empty request;
//   - in version 2, a reference to a symbol that does not exist, an odd number of references, and a
//     first symbol that is not empty: they leave these checks to their callers. This package also
//     checks references that a later field replaces, as in repeated metadata.
//
// Values are not checked: labels may be unsorted, repeated or empty, and strings need not be UTF-8.
//
// # Lifetimes
//
// A view from a Scanner is valid until the next iteration of its loop. A view from a Splitter is
// valid until the next call of Split. Both are valid only while the body does not change. Do not
// modify a view, because that would modify the body; appending to a view allocates. If the build
// tag `invariants` is set, expired views contain garbage, so that tests find code that uses expired
// views.
//
// # What a Splitter omits
//
// A Splitter drops unknown fields of the request, because Cortex and Mimir interpret some of these
// fields as instructions, and a sender must not give instructions. It copies unknown fields within
// a series. Metadata of version 1 belongs to no series, so it is in no part; [Splitter.MetadataRaw]
// returns it. A part contains only the symbols to which its series refer.
//
// # Limits
//
// Memory is proportional to the size of the body. On 64-bit machines:
//
//	Decode      152 bytes for a Series and 240 for a Histogram, each of which takes at least 2 bytes of
//	            the body: up to 120 times the body, twice that with spare capacity, and half as much
//	            again while a list grows
//	symbols     12 bytes each, and 12 more to be split; a symbol takes at least 2 bytes of the body
//	Splitter    about 130 bytes for a part, which takes at least 10 bytes of the body, and 20 for a
//	            piece of a part, which takes at least 2
//
// Decode has no other limit, so a receiver must limit the size of the body. [By] limits the number
// of series and of parts, but not of histograms.
//
// In version 2, the total size of the parts can be much larger than the body, because each part has
// its own copy of the symbols that it uses. For example, if the series of 4000 tenants all refer to
// one symbol of nearly 1 MB, a body of 1.1 MB produces 3.8 GB of parts. [Part.AppendSize] returns
// the size of a part before the part is appended.
//
// A body of version 2, and a body that is split, must be shorter than 4 GB. No input causes
// recursion. Memory is kept for the next request, but is released if recent requests have used less
// than an eighth of it.
package remotewrite
