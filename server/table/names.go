package table

import "path"

// dir is the directory of a table's files.
func (n Name) dir() string { return path.Join(n.DB, n.Table) }
