// Package parquet writes columns to Parquet files. It is the [table.Sink] of the service.
//
// It writes flat files only. The service's columns have few types and are contiguous in memory, so
// writing a page is little more than copying it. A general writer, which accepts rows or single
// values, takes several times as long (figures: docs/decisions/ingest.md). To read files, the
// package uses parquet-go (read.go).
//
// # The file
//
//	"PAR1"
//	row group 0                       at most 256 Ki rows
//	  column chunk "time"
//	    [dictionary page]             if it saves space
//	    data page 0                   at most 32 Ki rows, and about 1 MiB of text
//	    data page 1 …
//	  column chunk …
//	row group 1 …
//	column indexes                    bounds and null counts of each page
//	offset indexes                    offset of each page
//	footer                            FileMetaData (footer.go)
//	u32 length of the footer, "PAR1"
//
// # A page
//
//	header      PageHeader in Thrift's compact protocol, with a CRC-32 of the compressed body
//	body, compressed as a whole:
//	  u32 n, n bytes                  definition levels, in optional columns only: 1 is a value, 0 a null
//	  values                          without the nulls
//
// All pages have version 1. All engines can read the following encodings:
//
//	Kind     type        logical type         values
//	Time     INT64       TIMESTAMP(µs)        PLAIN, or RLE_DICTIONARY if it saves space
//	Int64    INT64       -                    "
//	Float64  DOUBLE      -                    "
//	String   BYTE_ARRAY  STRING               "
//	Bool     BOOLEAN     -                    PLAIN: one bit each
//
// Timestamps are in UTC, but the flag isAdjustedToUTC is false, because Python readers require
// tzdata or pytz if the flag is true.
//
// The column "time" is required; the other columns are optional. A column of Kind Null is omitted,
// because it has no type.
//
// # Readers
//
// A column has the same type in all files of a table. Later files may have more columns than
// earlier files. If an engine determines the columns from the first file, it needs an option to
// show the added columns:
//
//	engine       columns that the first file does not have   the option
//	DuckDB       not shown                                   union_by_name=true
//	pyarrow      not shown                                   dataset(path, schema=pa.unify_schemas(…)), of all fragments
//	pandas       not shown                                   the same by pyarrow, then to_pandas()
//	polars       an error                                    scan_parquet(files, missing_columns="insert"), the latest file first
//	DataFusion   shown
//	chDB         not shown                                   SETTINGS schema_inference_mode='union'
//	Spark        not shown                                   option("mergeSchema", True)
//
// TestReaders compares the result of each engine with the rows that were written.
//
// # Durability
//
// A file is written with a temporary name that engines ignore (".{name}.tmp"), synced and renamed.
// Then its directory is synced. When a directory is first used, its parents up to the root are
// synced too. If a crash leaves a temporary file, New removes the file. [Sink.Rewrite] uses the
// same steps to replace existing files with files that have the table's current column types.
package parquet
