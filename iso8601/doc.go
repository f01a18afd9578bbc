// Package iso8601 parses, validates and writes ISO 8601 timestamps and durations without
// allocating.
//
// Timestamps have the format of RFC 3339 (section 5.6), a profile of ISO 8601-1:2019. [Parse] and
// [Append] accept and write the same timestamps as package time with the layout time.RFC3339Nano,
// but are faster. [Valid] implements the API of github.com/segmentio/encoding/iso8601.
// [ParseDuration] and [AppendDuration] parse and write a time.Duration.
//
// # Timestamps
//
//	2006-01-02T15:04:05.999999999+07:00
//	date       time     fraction zone
//
//	               Parse                             Valid, by flags                       Append
//	year           0000 to 9999                      the same                              the same, or as AppendFormat
//	month, day     two digits; a day that exists     the same                              two digits
//	               T                                 T, space                              T
//	hour           0 to 23, one digit or two         two digits                            two digits
//	minute         00 to 59                          the same                              two digits
//	second         00 to 59                          the same                              two digits
//	fraction       . or , and digits; or none        . and 1 to 9 digits; none             . and 1 to 9 digits; or none
//	zone           Z, +07:00, -07:00                 Z, +07:00, -07:00, +0700, -0700,      Z, +07:00, -07:00
//	                                                 space +07:00; none
//	offset         to 24 hours and 60 minutes        to 23 hours and 59 minutes            to 99 hours, or as AppendFormat
//	a date alone   no                                by flag
//
// Like package time, Parse accepts hours of one digit, a decimal comma, and an offset with 24 hours
// or with 60 minutes. A fraction may have any number of digits; Parse ignores digits after the
// ninth. Also like package time, it returns an error for the following timestamps:
//
//	2016-12-31T23:59:60Z       a leap second: a time.Time cannot hold it
//	2006-01-02T24:00:00Z       midnight at the end of a day
//	2006-01-02t15:04:05z       RFC 3339 leaves small letters to the application
//	2006-01-02 15:04:05Z       a space: Valid takes it by a flag
//	20060102T150405Z           the basic format, and the dates 2006-W01-1 and 2006-002
//	+12006-01-02T15:04:05Z     years of more than four digits
//
// segmentio's Parse accepts other characters as separators (2006/01/02U15;04>05Z), and segmentio's
// Valid does not check ranges (2018-99-99T99:99:99.1Z). This package rejects both examples.
//
// A timestamp with Z is in UTC. A timestamp with an offset is in the local zone if the local zone
// has the same offset at that time. Otherwise it is in a fixed zone without a name. time.Parse does
// the same.
//
// # Durations
//
//	P3W    P1DT2H3M4.5S    PT36H    PT0.5M    -PT1S
//
//	designator   W        D          T   H            M            S
//	             7 days   24 hours       60 minutes   60 seconds   a second
//
// A duration contains at least one unit. Units must be in descending order, and each unit may occur
// only once. The letter T precedes hours, minutes and seconds. The numbers may be of any length.
// The last number may have a fraction after a dot or a comma; it is truncated to nanoseconds. Two
// common extensions are accepted: a sign before the P (ISO 8601-2:2019), and weeks in combination
// with other units.
//
// A time.Duration counts nanoseconds. So a day is 24 hours, and ParseDuration returns [ErrCalendar]
// for years and months (P1Y, P1M, and even P0Y). AppendDuration writes hours, minutes and seconds,
// but no days, because a day may have another length in other programs. Every time.Duration
// survives a round trip; the smallest time.Duration is written as -PT2562047H47M16.854775808S.
//
// [Duration] is a time.Duration that has this format in JSON and other text formats.
//
// # Errors
//
// Each error is a constant of type [Error]. Errors do not refer to the input, and require no
// allocation.
//
// # Memory and lifetime
//
// Results do not refer to the input. All functions may be called concurrently.
//
// Parse, Valid and ParseDuration do not allocate, and neither do Append and AppendDuration if dst
// has enough capacity. There are three exceptions:
//
//   - Parse allocates a fixed zone for each new offset, and keeps the zone. There are at most 3001
//     zones, which take half a megabyte in total.
//   - Parse caches up to 64 intervals in which the offset of the local zone is constant. The cache
//     belongs to the Location that time.Local points to. To change the local zone, assign a new
//     Location to time.Local, because Parse does not detect a change of the Location itself.
//   - Package time loads the rules of the system's zone when the zone is first used.
package iso8601
