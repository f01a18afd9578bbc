package table

// Bounds are what rows of a table may bring that is new.
type Bounds struct {
	Fields  []Field // that the table has, none if there is no such table; not to be changed
	Columns int     // that it may have
	Tables  int     // how many more tables its database may have
	Hours   int     // different hours in a batch
}

// Bounds returns the bounds of a table.
func (s *Store) Bounds(name Name) Bounds {
	return Bounds{Fields: s.Columns(name), Columns: s.o.MaxColumns, Tables: s.catalog.roomOf(name.DB), Hours: s.o.MaxHours}
}

// HourOf returns the number of the hour since 1970 in which a time in microseconds lies.
func HourOf(us int64) int64 { return hourOf(us) }
