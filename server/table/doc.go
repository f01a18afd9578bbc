// Package table accepts rows from requests and writes them to files. Each acknowledged row is in
// exactly one file.
//
// # The path of a row
//
//	Append ─▶ measured, checked against the catalog ─▶ log ─▶ 2xx
//	                                                    │ commit, in the order of the log
//	                                                    ▼
//	          table: open unit ──seal──▶ waiting units ──lander──▶ files ──▶ memory and log released
//
// A [Write] is a batch of rows of one table. The writes of one request form one record of the log.
// After the record is on disk, its batches are added to the open units of their tables; only small
// batches are copied. A unit is sealed when it has enough rows or bytes, when it has reached a
// maximum age, or when memory is short. Then a goroutine, called a lander, sorts the unit's rows by
// time, splits them by hour, and passes each hour to the [Sink] as one [File]. When these files and
// a note about them in the log are on disk, the unit has landed.
//
// # Exactly once
//
// A unit contains all rows of one table from a range of the log's sequence numbers. The units of a
// table are written to files one at a time, in order. So one sequence number describes the progress
// of a table. For a restart, the log contains notes, which are records about files. There are two
// kinds of notes:
//
//	Intent   {"from":1,"to":42,"paths":["db/cpu/utc_date=2026-11-21/utc_hour=09/node-…1-…42.parquet"]}
//	         These files may exist. The note is on disk before the first of them is created.
//	Landed   {"to":42,"rows":100000,"settled":40,"total":{"rows":700000,"files":9,"bytes":5000000}}
//	         All rows of the table in records up to 42 are in files, and all rows of all tables in
//	         records up to 40. The table has these totals.
//
// At start, the store reads the notes of each table. If an Intent note has no later Landed note,
// the store removes the files that the Intent note names. Then it decodes all records that contain
// rows. If a Landed note covers a row, the store skips the row. All other rows are handled in the
// same way as new rows. A crash leaves one of these states:
//
//	before the intent is on disk       no file; the rows are in the log
//	before the landed note is on disk  the files are removed; the rows are in the log
//	after that                         the files stay; their rows in the log are skipped
//
// If the sink fails, the store tries again to write the unit, after increasing delays and with the
// same file names, until it succeeds. It first removes the file that the failed attempt may have
// left. Meanwhile the rows stay in memory. When memory becomes full, Append returns [ErrBusy]:
// first for rows of this table, then for rows of its database, then for all rows (see share.go). A
// segment of the log is released when all rows in this segment and in earlier segments are in
// files.
//
// Other data in records, such as idempotency keys, may still be needed after the segment with the
// record is released: see [Carrier].
//
// # Tables whose directory cannot be written
//
// A table whose directory cannot be written must not use up memory and log space that other tables
// need. If Options.Aside is set, the units of the table are written to that sink instead. This
// happens after several failed attempts, or after one failed attempt when memory is half full. The
// store treats the rows of these units like rows in the table's own files, and releases their
// memory and log space. The store moves their files to the table's own directory, with retries,
// before it writes new files to that directory. The file unlanded.json lists files that a failed
// attempt to write a unit may have left in the table's own directory. They are removed before any
// file is moved back.
//
// # The catalog
//
// The catalog contains the columns of all tables. Before the rows of a request go to the log, the
// store records the new tables and columns of the request as a claim. The rows of all other
// requests must be compatible with this claim. When the log has the rows, the tables and columns of
// the claim become part of the catalog. If the request fails, the claim is removed. So readers see
// exactly the columns of acknowledged rows.
//
// On disk, the catalog consists of catalog.json and a journal of later changes, such as
// catalog.7.journal. Before rows with new columns are written to files, one entry with all changed
// tables is appended to the journal and synced. So at start, the catalog on disk contains the
// columns of all rows in files. The columns of all other rows are found in the log.
//
//	{"version":2, "log":0, "journal":7, "tables":[{"db":"db","table":"cpu","columns":[{"name":"time","kind":"time"},{"name":"host","kind":"string"}],
//	 "landed":{"rows":700000,"files":9,"bytes":5000000}}]}
//
// The totals of each table (its numbers of rows, files and bytes) are saved to the catalog before a
// segment with Landed notes is released. So at start the totals come from the last Landed note in
// the log, or from the catalog, and no files are read. If neither contains the totals, the store
// computes the totals once from the files.
//
// When the journal would become larger than catalog.json, the store replaces catalog.json with the
// complete catalog, and begins a new journal. So the total number of bytes that are written is
// proportional to the size of the catalog. A journal belongs to one process. The next process
// replaces catalog.json at its first change, because the old journal may contain data that is not
// synced yet. [Store.Close] leaves a catalog.json of version 1 and no journal, so an earlier
// version of the program can open it. After a kill, catalog.json stays at version 2. An earlier
// version of the program rejects this file with an error, until the current version was started and
// stopped again.
//
// Requests add columns and never remove them. With the first float, an int64 column becomes a
// float64 column. But if a float64 would round one of the column's integers, the column stays an
// int64 column, and the float is rejected with a [TypeError]. The catalog marks such a column with
// "inexact":true. If the column is a float64 column, an integer that a float64 would round is also
// rejected with a [TypeError]. Every other mixture of types is rejected in the same way. For these
// reasons, acknowledged values never change. A column with only nulls is not in the catalog. A file
// contains all columns that the catalog contained when the file was planned, so the latest file of
// a table shows the table's whole schema.
//
// # Locks
//
// Concurrent calls of Append share only atomic counters, the catalog's snapshot and the log's
// queue. One lock guards all buffers. The log's committer acquires it for each record and for each
// commit, landers acquire it between units, and the clock goroutine acquires it at each tick. Each
// of them holds the lock only briefly. No file is accessed while the lock is held.
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
//	           aside.go        tables whose directory cannot be written
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
