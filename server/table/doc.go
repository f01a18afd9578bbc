// Package table accepts rows from requests and writes them to files. Each acknowledged row is in
// exactly one file.
//
// # The path of a row
//
//	Append ─▶ measured, checked against the catalog ─▶ log ─▶ 2xx
//	                                                    │ OnCommit, in the order of the log
//	                                                    ▼
//	          table: open unit ──seal──▶ waiting units ──lander──▶ files ──▶ memory and log released
//
// A [Write] is a batch of one table; the writes of one request are one record of the log. After the
// record is on disk, its batches are added to the open units of their tables; only small ones are
// copied. A unit is sealed when it has enough rows or bytes, after a maximum time, or when memory
// is short. Then a lander sorts its rows by time, splits them by hour, and passes each hour to the
// [Sink] as one [File].
//
// # Exactly once
//
// A unit has all rows of a table in a range of the log's sequence numbers. The units of a table
// land one at a time, in order. So the progress of a table is one number, and two kinds of notes in
// the log are sufficient for a restart:
//
//	Intent   {"from":1,"to":42,"paths":["db/cpu/utc_date=2026-11-21/utc_hour=09/node-…1-…42.parquet"]}
//	         These files may exist. The note is on disk before the first of them is created.
//	Landed   {"to":42,"rows":100000,"settled":40,"total":{"rows":700000,"files":9,"bytes":5000000}}
//	         All rows of the table in records up to 42 are in files, and all rows of all tables in
//	         records up to 40. The table has these totals.
//
// At start, the files of an intent without a later landed note of its table are removed, if they
// exist. Then the records are decoded again, and the rows that no landed note covers are delivered
// like new ones. A crash leaves one of these states:
//
//	before the intent is on disk       no file; the rows are in the log
//	before the landed note is on disk  the files are removed; the rows are in the log
//	after that                         the files stay; their rows in the log are skipped
//
// If the sink fails, the unit is retried without end, after increasing delays, with the same file
// names; existing files are removed first. Meanwhile the rows stay in memory. When that is full,
// senders get [ErrBusy]: first those of this table, then those of its database, then others
// (share.go). Segments of the log are released up to the first record with a row that has not
// landed.
//
// Other data of records, such as idempotency keys, may have to outlive their segment: see
// [Carrier].
//
// # Tables that cannot land
//
// A table whose directory fails must not use memory and log that others need. With Options.Aside,
// its units land in that directory after several attempts, or after one attempt when memory is half
// full, and count as landed. Their files are moved back, with retries, before the table lands in
// its own directory again. Files of incomplete landings that cannot be removed are listed in
// unlanded.json, and are removed before any file is moved back.
//
// # The catalog
//
// The catalog has the columns of all tables. A request with new tables or columns claims them
// before its rows go to the log, and other requests must be compatible with the claim. When the log
// has the rows, they are added to the catalog; when the request fails, the claim is removed. So
// readers see exactly the columns of acknowledged rows.
//
// On disk the catalog is catalog.json and a journal of later changes, such as catalog.7.journal.
// Before rows with new columns land, one entry with all changed tables is appended to the journal
// and synced. So at start the disk has the columns of all rows in files, and the log has the
// others.
//
//	{"version":2, "log":0, "journal":7, "tables":[{"db":"db","table":"cpu","columns":[{"name":"time","kind":"time"},{"name":"host","kind":"string"}],
//	 "landed":{"rows":700000,"files":9,"bytes":5000000}}]}
//
// The totals of each table are saved to the catalog before a segment with landed notes is released.
// So at start the totals come from the last note in the log, or from the catalog, without reading
// files. If neither has them, the files are counted once.
//
// When the journal is larger than catalog.json, catalog.json is replaced by a complete one, and a
// new journal begins. So the total of bytes written is proportional to the catalog. A journal
// belongs to one process. The next process replaces catalog.json at its first change, because data
// that it reads from the old journal may not be synced. [Store.Close] leaves a catalog.json of
// version 1 and no journal, so an earlier version of the program can open it. After a kill, the
// earlier version reports an error for version 2, until this version is started and stopped.
//
// Columns are added and never removed. An int64 column becomes float64 with the first float, unless
// it has an integer that a float64 would round, which the catalog marks ("inexact":true); then the
// float is a [TypeError]. So are such an integer in a float64 column, and all other mixtures:
// acknowledged values never change. A column that has only nulls is not in the catalog. A file has
// all columns that the catalog had when the file was planned, so the latest file of a table shows
// its whole schema.
//
// # Locks
//
// Appends share only atomic counters, the catalog's snapshot and the log's queue. One lock guards
// all buffers. The log's committer takes it for each commit, landers between units, and the clock,
// each time briefly. No file is accessed while it is held.
//
// # Files
//
//	appending  store.go        Options, Open, Append, Flush, Close
//	           write.go        checks of a write
//	           bounds.go       limits of a write
//	           buffer.go       tables, units, pieces
//	           share.go        memory shared by tables and databases
//	           seal.go         sealing of units
//	           pool.go         reuse of batches
//	           carry.go        data that outlives a record
//	landing    land.go         from a unit to files and notes
//	           order.go        the order of a unit's rows
//	           gather.go       rows in that order, by column
//	           sink.go         the interface of the file writer
//	           aside.go        tables that cannot land
//	           totals.go       totals of tables
//	           recover.go      recovery of the buffers from the log
//	catalog    catalog.go      columns and claims of tables
//	           schema.go       columns of one table
//	           names.go        names of tables, columns and directories
//	           catalogfile.go  catalog.json
//	           journal.go      the journal
//	changing   alter.go        alterations by an administrator
//	           rewrite.go      rewriting of files when a column is widened
//	           convert.go      conversion of cells
//	counting   stats.go        counters
package table
