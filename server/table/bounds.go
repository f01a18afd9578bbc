package table

// Bounds contains the limits for the rows of a write to one table.
type Bounds struct {
	Fields  []Field // fields of the table; empty if the table does not exist; must not be changed
	Columns int     // maximum number of columns in the table
	Tables  int     // number of further tables that the database may have
	Hours   int     // maximum number of distinct hours in a batch
}

// Bounds returns the limits of a table.
func (s *Store) Bounds(name Name) Bounds {
	return Bounds{Fields: s.Columns(name), Columns: s.o.MaxColumns, Tables: s.catalog.roomOf(name.DB), Hours: s.o.MaxHours}
}

// HourOf returns the number of hours from 1970 to a time in microseconds.
func HourOf(us int64) int64 { return hourOf(us) }
