package iso8601

const (
	year0     = -62167219200 // 0000-01-01T00:00:00Z, in seconds since 1970
	year10000 = 253402300800
)

// months has what date needs of a month; for a leap year the index has its high bit set. The lowest
// byte is the days of the month. Above it are the days of the year before the month, less the leap
// day that date counts apart. What is no month has no days, so that one comparison checks both.
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

// date is the number of a day, where 0000-01-01 has the number 0, and whether there is such a day.
// The year is counted from its century. No part is above 255.
func date(century, year, month, day uint64) (days int64, ok bool) {
	leap := year // every fourth, but of those that begin a century again every fourth
	if year == 0 {
		leap = century
	}
	m := int64(months[uint8(month|(leap%4-1)>>56&0x80)])
	year += 100 * century
	// 365 days for each year before, and a leap day for each leap year up to this one, save the
	// year 0: that makes up for days that count from 1.
	days = int64(365*year+year/4-century+century/4+day) + m>>8
	return days, day-1 < uint64(m&0xff)
}

// era is the days of 400 years, after which the calendar repeats itself.
const era = 146097

// civil is the date of a day, where the first of March in the year -400 has the number 0. The year
// must not be negative.
//
// A year that starts in March ends with its leap day, and its months begin on a line of slope 30.6.
// So centuries, years and months each take one division: centuries and years by the days of four of
// them, months by the line. This is the scheme of C. Neri and L. Schneider, Euclidean affine
// functions and their application to calendar algorithms, Software: Practice and Experience 53
// (2023).
func civil(number uint32) (year, month, day uint32) {
	n := 4*number + 3
	century, rest := n/era, n%era/4
	const inverse = 2939745 // 2³²/1461: the quotient is the upper word, the remainder times as much the lower
	q := inverse * uint64(4*rest+3)
	year, rest = uint32(q>>32), uint32(q)/inverse/4
	n = 2141*rest + 197913 // the line, times 65536
	year, month, day = 100*century+year-400, n>>16, n&0xffff/2141+1
	if rest >= 306 { // January and February
		year, month = year+1, month-12
	}
	return year, month, day
}
