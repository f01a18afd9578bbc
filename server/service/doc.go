// Package service assembles the service from the other packages, starts it and stops it.
//
//	service.go  start, recovery, serving, stop
//	listen.go   the listeners, and the lock on the data directory
//	tls.go      certificates, re-read when they change
//	demo.go     `slipstream demo`
//
// The path of a row through the packages:
//
//	HTTP ──▶ ingest: decode (MessagePack, JSON, NDJSON, schema), check ──▶ table: catalog, budget ──▶ wal: on disk ──▶ 204
//	                                                                            │ buffers  ◀─── commit ───┘
//	                                                                            └──▶ parquet: files
//
// The data directory:
//
//	lock            held while the service runs
//	node            the generated node name
//	catalog.json    the tables and their columns
//	catalog.*       the journal of the catalog: changes after catalog.json was written
//	schemas.json    the registered schemas
//	wal/            the log
//	tables/         {db}/{table}/utc_date=YYYY-MM-DD/utc_hour=HH/*.parquet
//	aside/          the same, for tables whose directory in tables/ cannot be written
//	unlanded.json files that were not completed, and must be removed
//
// The service already listens during recovery, so that /health responds. It accepts writes after
// recovery. On shutdown, /ready reports that the service is stopping. The service then stops
// listening, completes open requests, writes all rows to Parquet files and closes the log. After a
// kill, the next start writes the remaining rows to files.
package service
