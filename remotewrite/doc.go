// Package remotewrite reads and writes the requests of Prometheus Remote Write, versions 1.0 and 2.0: what is in a body once it is
// decompressed.
//
// # Levels
//
//	Scanner            a body as views of its bytes: series, labels, samples, exemplars, histograms, metadata
//	Splitter           a request taken apart by a label; each part is a request again, of series as they came
//	Decode, Append     a body as Go values, and back
//
// Scanner and Splitter allocate nothing when they are used again. Take the lowest level that does: Scanner reads a request at the speed
// at which it finds where labels begin, Splitter copies it, Decode makes values of all of it.
//
// # Bytes
//
// A message of protobuf is fields, one after the other: a tag, which is number<<3 | wire type, and a value. Numbers are varints, 7 bits a
// byte, the lowest first; strings and messages have their length before them.
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
// Exemplars and histograms have changed places. The whole schema is in schema.go, as tables under its .proto text.
//
// What is taken is what a parser of protobuf must take: fields in any order, any number of times (the last of a number counts;
// metadata of version 2 merges), varints longer than they must be, repeated numbers packed, one by one or both, and fields that
// nobody knows, of any wire type, groups too. In version 2, symbols may come after the series that refer to them.
//
// # What is refused
//
// An *[Error] says what is wrong and where, in bytes of the body and as a path. A body is refused that Prometheus' own parsers (packages prompb
// and writev2) refuse, and for these reasons, for which they do not:
//
//   - a varint of more than 64 bits: they drop the bits;
//   - a field number above 2^29-1: they drop the bits, and may take the field for another;
//   - a packed number that goes beyond its field: they read it from the bytes after the field;
//   - a body that holds nothing of its version, but fields of the other one: [ErrVersion]. They read an empty request;
//   - in version 2, references beyond the symbols or that are no pairs, and a first symbol that is not empty: they leave that to
//     their callers. A reference that a later one takes the place of, as in metadata that is there twice, is no exception.
//
// Nothing is asked of the values: labels may be unsorted, there twice, or empty, and strings no UTF-8.
//
// # Lifetimes
//
// What a Scanner yields is good until its loop goes on, what a Splitter gives until its next Split, and both as long as the body does
// not change. Views must not be changed, as that would change the body; to append to one takes new memory. Built with the tag invariants, views are useless as soon as they have expired, so that tests find who keeps them.
//
// # What a Splitter leaves out
//
// Fields of the request that the schema does not have are dropped: Cortex and Mimir take some of them as orders, of which the sender's are none
// of the receiver's. Fields within a series that the schema does not have are copied. Metadata of version 1 belongs to no series:
// [Splitter.MetadataRaw] gives it to the caller. Symbols that no series of a part refers to are not in that part.
//
// # Limits
//
// Memory is bounded by the body. On 64-bit machines a [Series] of a [Request] takes 152 bytes and a [Histogram] 240. Each is two bytes
// of the body or more, so that a request can take 120 times the memory of its body; room for more doubles that, and while a list
// grows there is half as much beside it. Decode has no limit but the length of the body: a receiver bounds that, and [By] bounds
// series, but not histograms. A symbol takes 12 bytes, and 12 more to be split, and two as well. A part takes some
// 130 bytes and ten of the body or more, a piece of a part 20, and two. How many parts there may be is for [By] to say.
//
// In version 2 the parts of a body can be much larger together than the body: each part has its own copy of the symbols that it
// uses. A body of 1.1 MB, of which one symbol of nearly 1 MB is in the series of 4000 tenants, makes 3.8 GB of parts.
// [Part.AppendSize] returns the size of a part before it is appended. A body of version 2,
// and one that is split, is shorter than 4 GB. There is no recursion that the body could drive. Memory that is kept for the next request is released when
// recent requests have not needed an eighth of it.
package remotewrite
