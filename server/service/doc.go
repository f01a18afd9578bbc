// Package service builds the service from the other packages, starts it and stops it.
//
//	service.go  start, recover, serve, stop
//	listen.go   the listeners, and the lock on the data directory
//	tls.go      their certificates, which are re-read when they change
//	query.go    what Parquet files hold, for `slipstream query`, the load generator and the demo
//	demo.go     `slipstream demo`
//
// The way of a row, and who does what:
//
//	HTTP ──▶ ingest: decode (MessagePack, JSON, NDJSON, schema), check ──▶ table: catalog, budget ──▶ wal: on disk ──▶ 204
//	                                                                            │ buffers  ◀── OnCommit ──┘
//	                                                                            └──▶ parquet: files
//
// The data directory:
//
//	lock            held while the service runs
//	catalog.json    the tables and their columns
//	catalog.*       its journal: what has changed since it was written
//	schemas.json    the schemas by which bodies may be coded
//	wal/            the log
//	tables/         {db}/{table}/utc_date=YYYY-MM-DD/utc_hour=HH/*.parquet
//	aside/          the same, of tables that cannot have files in tables/, until they can
//	unlanded.json   files that must be removed before
//
// The service listens before it has recovered, so that /health answers, and takes writes once it has. On shutdown it says
// that it is not ready, stops listening, finishes the requests that it has, lands every row and closes the log. Killed, it
// does the rest after the next start.
package service
