package iso8601

const (
	year0     = -62167219200 // 0000-01-01T00:00:00Z, in seconds since 1970
	year10000 = 253402300800
)

// months contains the data of a month that date needs. For a leap year, the index has its high bit
// set. The lowest byte is the number of days of the month. The bits above it are the number of days
// of the year before the month, minus the leap day, which date counts separately. An invalid month
// has 0 days, so that one comparison checks both the month and the day.
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

// date returns the number of a day, where 0000-01-01 has the number 0, and reports whether the day
// exists. The year is counted from the beginning of the century. No argument exceeds 255.
func date(century, year, month, day uint64) (days int64, ok bool) {
	leap := year // every fourth year, but of years that begin a century only every fourth
	if year == 0 {
		leap = century
	}
	m := int64(months[uint8(month|(leap%4-1)>>56&0x80)])
	year += 100 * century
	// 365 days for each earlier year, and a leap day for each leap year up to this one, except the
	// year 0. This exception compensates for days that count from 1.
	days = int64(365*year+year/4-century+century/4+day) + m>>8
	return days, day-1 < uint64(m&0xff)
}

// era is the number of days in 400 years. After this time the calendar repeats itself.
const era = 146097

// civil returns the date of a day, where the first of March of the year -400 has the number 0. The
// year must not be negative.
//
// A year that starts in March ends with its leap day, and the first days of its months are on a
// line of slope 30.6. So centuries, years and months each take one division: by the days of four
// centuries, by the days of four years, and by the slope of the line. This is the algorithm of C.
// Neri and L. Schneider, Euclidean affine functions and their application to calendar algorithms,
// Software: Practice and Experience 53 (2023).
func civil(number uint32) (year, month, day uint32) {
	n := 4*number + 3
	century, rest := n/era, n%era/4
	const inverse = 2939745 // 2³²/1461: the upper word is the quotient, the lower word is the remainder times inverse
	q := inverse * uint64(4*rest+3)
	year, rest = uint32(q>>32), uint32(q)/inverse/4
	n = 2141*rest + 197913 // the line, times 65536
	year, month, day = 100*century+year-400, n>>16, n&0xffff/2141+1
	if rest >= 306 { // January and February
		year, month = year+1, month-12
	}
	return year, month, day
}
