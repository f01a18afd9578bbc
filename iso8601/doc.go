// Package iso8601 reads, checks and writes timestamps and durations of ISO 8601 without allocating.
//
// Its timestamps are those of RFC 3339 (section 5.6), which is a profile of ISO 8601-1:2019: what the package time reads and
// writes by time.RFC3339Nano. [Parse] and [Append] are that, faster; [Valid] has the API of
// github.com/segmentio/encoding/iso8601. [ParseDuration] and [AppendDuration] do the same for a time.Duration.
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
// Where a column has the rules of the package time, it has all of them, the lenient ones too: an hour of one digit, a comma, offsets
// of 24 hours and of 60 minutes, and a fraction of any length, of which nine digits count and the rest is cut off. What it
// refuses is refused here:
//
//	2016-12-31T23:59:60Z       a leap second: a time.Time cannot hold it
//	2006-01-02T24:00:00Z       midnight at the end of a day
//	2006-01-02t15:04:05z       RFC 3339 leaves small letters to the application
//	2006-01-02 15:04:05Z       a space: Valid takes it by a flag
//	20060102T150405Z           the basic format, and the dates 2006-W01-1 and 2006-002
//	+12006-01-02T15:04:05Z     years of more than four digits
//
// segmentio's Parse takes other characters for separators (2006/01/02U15;04>05Z), and its Valid does not look at ranges
// (2018-99-99T99:99:99.1Z). Both are refused here.
//
// Without an offset of its own, Z, a time is in UTC. With one, it is in the local zone if that has the same offset at that time, as
// from time.Parse, and else in a fixed zone without a name.
//
// # Durations
//
//	P3W    P1DT2H3M4.5S    PT36H    PT0.5M    -PT1S
//
//	designator   W        D          T   H            M            S
//	             7 days   24 hours       60 minutes   60 seconds   a second
//
// Greater units come first, each at most once, and at least one; T stands before those of the time, if there are any. The numbers have
// as many digits as they like. The last one may have a fraction, after a dot or a comma; what is smaller than a nanosecond is
// cut off. A sign in front is an extension, of ISO 8601-2:2019; weeks beside other units are one too, and common.
//
// A time.Duration counts nanoseconds. That makes a day 24 hours, whatever the clocks of a place do, and leaves no room for years and
// months (P1Y, P1M, and P0Y as well): [ErrCalendar]. What is written has hours, minutes and seconds, no days, and can be read by
// programs that know better how long a day is. All values of a time.Duration survive; the least is -PT2562047H47M16.854775808S.
//
// [Duration] is a time.Duration that is written so in JSON and other text.
//
// # Errors
//
// A failure is one of the constants of type [Error]. They do not hold the input, and cost nothing.
//
// # Memory and lifetime
//
// Nothing allocates: not Parse, Valid and ParseDuration, whether they succeed or fail, and not Append and AppendDuration when dst has
// room. There are three exceptions. The fixed zone of an offset is made when Parse meets it for the first time, and kept; a program
// meets a few, and an attacker's input makes at most 3001 zones, half a megabyte. Up to 64 spans of time are kept in which the local
// zone has one offset; they are those of the Location that time.Local points to, and a program that changes that Location itself, not
// the pointer, is not followed. And what a zone of the system needs is loaded by the package time when it first asks. No result refers
// to the input. All functions may be called concurrently.
package iso8601
