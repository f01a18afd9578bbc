package iso8601

const (
	year0     = -62167219200 // 0000-01-01T00:00:00Z, in seconds since 1970
	year10000 = 253402300800
)

// months contains the data that the function `date` needs for each month. The index is the number
// of the month. For a leap year, the high bit of the index is also set. The lowest byte of an entry
// is the number of days in the month. The other bits are the number of days in the year before the
// month, without the leap day, which the function `date` counts separately. An invalid month has 0
// days, so that one comparison checks both the month and the day.
var months = func() (all [256]int32) {
	for leap := range 2 {
		before := -leap
		for i, days := range [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31} {
			if i == 1 {
				days += leap
			}
			all[leap<<7|(i+1)] = int32(before<<8 | days)
			before += days
		}
	}
	return all
}()

// date returns the number of a day, and reports whether the day exists. The day 0000-01-01 has the
// number 0. The year is counted from the beginning of the century. No argument may exceed 255.
func date(century, year, month, day uint64) (days int64, ok bool) {
	leap := year // a leap year is every fourth year; of the years that begin a century, only every fourth
	if year == 0 {
		leap = century
	}
	m := int64(months[uint8(month|(leap%4-1)>>56&0x80)])
	year += 100 * century
	// The sum contains 365 days for each earlier year, and a leap day for each leap year up to and
	// including this year, except the year 0. This exception compensates for the fact that days are
	// counted from 1.
	days = int64(365*year+year/4-century+century/4+day) + m>>8
	return days, day-1 < uint64(m&0xff)
}

// era is the number of days in 400 years. After this time, the calendar repeats.
const era = 146097

// civil returns the date of the day with the given number. March 1 of the year -400 has the number
// 0. The year of the date must not be negative.
//
// If a year starts in March, it ends with its leap day, and the positions of the first days of its
// months lie on a line of slope 30.6. So the century, the year and the month each need one
// division: by the number of days in four centuries, by the number of days in four years, and by
// the slope of the line. This is the algorithm of C. Neri and L. Schneider, Euclidean affine
// functions and their application to calendar algorithms, Software: Practice and Experience 53
// (2023).
func civil(number uint32) (year, month, day uint32) {
	n := 4*number + 3
	century, rest := n/era, n%era/4
	const inverse = 2939745 // 2³²/1461: the upper word is the quotient, the lower word is the remainder times inverse
	q := inverse * uint64(4*rest+3)
	year, rest = uint32(q>>32), uint32(q)/inverse/4
	n = 2141*rest + 197913 // the value of the line, times 65536
	year, month, day = 100*century+year-400, n>>16, n&0xffff/2141+1
	if rest >= 306 { // January and February
		year, month = year+1, month-12
	}
	return year, month, day
}
