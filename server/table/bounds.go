package table

// Bounds are the limits for the rows of a write.
type Bounds struct {
	Fields  []Field // fields of the table, empty if it does not exist; must not be changed
	Columns int     // how many columns the table may have
	Tables  int     // how many more tables its database may have
	Hours   int     // how many different hours a batch may span
}

// Bounds returns the limits of a table.
func (s *Store) Bounds(name Name) Bounds {
	return Bounds{Fields: s.Columns(name), Columns: s.o.MaxColumns, Tables: s.catalog.roomOf(name.DB), Hours: s.o.MaxHours}
}

// HourOf returns the number of hours from 1970 to a time in microseconds.
func HourOf(us int64) int64 { return hourOf(us) }
