package iso8601

// Error is an error in a timestamp or a duration. All errors of this package are the constants
// below. They require no allocation, do not contain the input, and can be compared with == or
// errors.Is.
type Error string

// Errors of [Parse]. Parse first checks the date, then the time of day, and then the fraction and
// the zone.
const (
	ErrSyntax Error = "iso8601: not a timestamp"
	ErrMonth  Error = "iso8601: month out of range"
	ErrDay    Error = "iso8601: day out of range" // day does not exist in this month and year
	ErrHour   Error = "iso8601: hour out of range"
	ErrMinute Error = "iso8601: minute out of range"
	ErrSecond Error = "iso8601: second out of range"
	ErrZone   Error = "iso8601: zone offset out of range"
)

// Errors of [ParseDuration].
const (
	ErrDuration      Error = "iso8601: not a duration"
	ErrDurationRange Error = "iso8601: duration out of range" // out of the range of a time.Duration
	ErrCalendar      Error = "iso8601: a duration in years or months has no fixed length"
)

// Error returns the text of the constant.
func (e Error) Error() string { return string(e) }
