// Package remotewrite reads and writes the bodies of Prometheus Remote Write requests, versions 1.0
// and 2.0, after decompression.
//
// # Levels
//
//	Scanner            views of the body: series, labels, samples, exemplars, histograms, metadata
//	Splitter           splits a request by a label; each part is a request with unchanged series
//	Decode, Append     the body as Go values, and back
//
// A reused Scanner or Splitter does not allocate. A Scanner is the fastest: it only finds where the
// parts begin. A Splitter also copies series, and Decode builds values for the whole request. Use
// the first that is sufficient.
//
// # Bytes
//
// A protobuf message is a sequence of fields. A field is a tag, number<<3 | wire type, and a value.
// Numbers are varints of 7 bits a byte, lowest bits first. Strings and messages follow their
// length.
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
// Note that exemplars and histograms have exchanged their numbers. schema.go has the whole schema,
// as .proto text and as tables.
//
// The package accepts what a protobuf parser must accept: fields in any order and repeated (the
// last value of a number counts; metadata of version 2 is merged), varints longer than necessary,
// repeated numbers in packed form, one by one or both, and unknown fields of any wire type,
// including groups. In version 2, symbols may follow the series that refer to them.
//
// # Errors
//
// An *[Error] has the cause, the offset in the body and the path of the field. The package returns
// an error for each body that Prometheus' own parsers (packages prompb and writev2) reject, and
// also for these, which they accept:
//
//   - a varint of more than 64 bits: they ignore the extra bits;
//   - a field number above 2^29-1: they ignore the extra bits, and may confuse the field with
//     another;
//   - a packed number that continues beyond its field: they read it from the bytes after the field;
//   - a body that has no field of its version, but fields of the other one: [ErrVersion]. They
//     return an empty request;
//   - in version 2, a reference beyond the symbols, an odd number of references, and a first symbol
//     that is not empty: they leave that to their callers. This includes references that a later
//     field replaces, as in repeated metadata.
//
// Values are not checked: labels may be unsorted, repeated or empty, and strings need not be UTF-8.
//
// # Lifetimes
//
// A view from a Scanner is valid until the next iteration of its loop, one from a Splitter until
// the next Split, and both only while the body does not change. Do not modify a view, because that
// would modify the body; an append to a view allocates. With the build tag invariants, expired
// views contain garbage, so that tests find code that keeps them.
//
// # What a Splitter omits
//
// A Splitter drops unknown fields of the request, because Cortex and Mimir interpret some of them
// as instructions, and a sender must not give those. It copies unknown fields within a series.
// Metadata of version 1 belongs to no series: [Splitter.MetadataRaw] returns it. A part has only
// the symbols that its series refer to.
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
// Decode has no other limit, so a receiver has to limit the size of the body. [By] limits the
// number of series and of parts, but not of histograms.
//
// In version 2 the parts together can be much larger than the body, because each part has its own
// copy of the symbols that it uses. A body of 1.1 MB with one symbol of nearly 1 MB, in the series
// of 4000 tenants, makes 3.8 GB of parts. [Part.AppendSize] returns the size of a part before it is
// appended.
//
// A body of version 2, and a body that is split, must be shorter than 4 GB. No input causes
// recursion. Memory that is kept for the next request is released when recent requests have used
// less than an eighth of it.
package remotewrite
