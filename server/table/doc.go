// Package table takes rows over from requests and turns them into files: each acknowledged row into exactly one.
//
// # The way of a row
//
//	Append ─▶ measured, checked against the catalog ─▶ log ─▶ 2xx
//	                                                    │ OnCommit, in the order of the log
//	                                                    ▼
//	          table: open unit ──seal──▶ waiting units ──lander──▶ files ──▶ memory and log released
//
// A [Write] is a batch of one table; the writes of one request are one record of the log. When the record is on disk, its
// batches go to the open units of their tables, without being copied unless they are tiny. A unit is sealed when it has
// enough rows or bytes, when it has waited long enough, or when memory runs short. Then a lander orders its rows by time,
// splits them by hour, and gives each hour to the [Sink] as one [File].
//
// # Exactly once
//
// A unit is all rows of one table in the records from one sequence number to another. Units of a table land in order and one
// at a time. So how far a table has come is one number, and the log says all that a restart must know, in two kinds of notes:
//
//	Intent   {"from":1,"to":42,"paths":["db/cpu/utc_date=2026-11-21/utc_hour=09/node-…1-…42.parquet"]}
//	         these files may exist from now on; on disk before the first of them is begun
//	Landed   {"to":42,"rows":100000,"settled":40,"total":{"rows":700000,"files":9,"bytes":5000000}}
//	         every row of the table in a record up to 42 is in a file, and every row of any table in a record up to 40;
//	         the table has the totals given
//
// At start, the files of an intent that no later landed note of its table follows are removed, whether whole, half or
// missing. Then the records are decoded again, and the rows that no landed note covers are delivered as if they had just
// come. A crash at any point leaves one of these cases:
//
//	before the intent is on disk       no file; the rows come from the log
//	before the landed note is on disk  the files are removed; the rows come from the log
//	after it                           the files stay; the rows in the log are passed over
//
// A sink that fails is tried again, with growing pauses, for ever, and under the same names: what may be there is removed
// first. Meanwhile the rows wait in memory until [ErrBusy] tells the senders to wait as well: those of this table, or of its database,
// before those of others (share.go). Segments of the log are
// released up to the first record with a row that has not landed.
//
// What records bring besides rows may have to outlive them, as keys of requests do: see [Carrier].
//
// # Aside
//
// A table whose directory is broken must not hold memory and log that others need. So with Options.Aside its units land there after some
// attempts, or after one when memory is half full, and count as landed. Their files return, again and again tried, before the table
// lands where it belongs again. Files that had not wholly landed where they belong, and cannot be removed, are listed in unlanded.json
// until they can: they are removed before anything returns.
//
// # The catalog
//
// The catalog has every table's columns. A request whose rows bring something new claims it before they go to the log; other requests
// must fit claims too. When the log has the rows, the catalog has what they brought; when they are refused, nothing of it is left. So
// readers of the catalog see the columns of acknowledged rows, and no others.
//
// On disk it is catalog.json and a journal of what has changed since, such as catalog.7.journal. Before rows land whose columns the disk
// does not have, these are appended to the journal and synced: an entry of the changed tables, however many there are. At a start the
// disk has the columns of all rows in files, and the log has the others.
//
//	{"version":2, "log":0, "journal":7, "tables":[{"db":"db","table":"cpu","columns":[{"name":"time","kind":"time"},{"name":"host","kind":"string"}],
//	 "landed":{"rows":700000,"files":9,"bytes":5000000}}]}
//
// It has the totals of the last landed note of each table, too, before a segment of the log with such notes is released. So after a
// start the totals are those of the last note in the log, or of the catalog, and no file is read. Only where neither has them are the
// files counted, once.
//
// A journal that outgrows catalog.json is folded: catalog.json is replaced by one with everything, and another journal begins. So the
// bytes written grow as the catalog does. A journal belongs to one process: the next folds it with its first change, since what it reads
// there may be in memory only. [Store.Close] leaves a catalog.json of version 1 without a journal, so an earlier version of the program may
// follow; after a kill it refuses version 2, until this version has been started and stopped.
//
// Columns are added and never removed. A column of int64 that meets a float64 becomes float64, unless it was given an integer that a
// float64 would round: the catalog notes that ("inexact":true), and the float is a [TypeError]. So is such an integer in a column of
// float64, and any other mixture: no row that was acknowledged changes its value. A column that so far has only nulls is not in the catalog. Every file has all columns that the catalog had when
// the file was planned, so that the latest file of a table shows its whole schema.
//
// # Locks
//
// Appenders share nothing but atomic counters, the catalog's snapshot and the log's queue. One lock guards all buffers. It is
// taken by the log's committer for each commit, by landers between units and by the clock, each time briefly; no file is
// touched while it is held.
//
// # Where to look
//
//	store.go        Options, Open, Append, Flush, Close      order.go    the order of a unit's rows
//	write.go        what a write must be like                gather.go   rows in that order, column by column
//	catalog.go      which columns tables have or claim       land.go     from a unit to files and notes
//	catalogfile.go  catalog.json, and what journals add      recover.go  from the log back to the buffers
//	journal.go      what of the catalog has changed since    sink.go     what makes the files
//	schema.go       one table's columns                      stats.go    what is counted
//	names.go        of tables, columns and directories       pool.go     where batches wait for reuse
//	buffer.go       tables, units, pieces                    aside.go    tables that cannot land where they belong
//	seal.go         when a unit is complete
//	rewrite.go      files when a column is widened           totals.go   what has landed since a table was created
//	alter.go        how an administrator changes tables      convert.go  cells of one kind as cells of another
//	carry.go        what outlives records of the log
package table
