// Package parquet makes Parquet files out of columns: it is the [table.Sink] of the service.
//
// It is a flat, write-only encoder. A file of the service has no nesting and few types, and its columns are already
// contiguous and typed, so that a page of them is little more than a copy; a general writer, which takes rows or single
// values, costs several times as much (docs/decisions.md has the figures). Files are read back with parquet-go (read.go).
//
// # The file
//
//	"PAR1"
//	row group 0                       at most 256 Ki rows
//	  column chunk "time"
//	    [dictionary page]             present when it pays
//	    data page 0                   at most 32 Ki rows, and about 1 MiB of text
//	    data page 1 …
//	  column chunk …
//	row group 1 …
//	column indexes                    bounds and null counts of every page
//	offset indexes                    where every page is
//	footer                            FileMetaData (footer.go)
//	u32 length of the footer, "PAR1"
//
// # A page
//
//	header      PageHeader in Thrift's compact protocol, with a CRC-32 of what follows
//	body, compressed as a whole:
//	  u32 n, n bytes                  definition levels, in optional columns only: 1 is a value, 0 a null
//	  values                          the nulls left out
//
// All pages are version 1, all encodings are ones that every engine reads:
//
//	Kind     type        logical type         values
//	Time     INT64       TIMESTAMP(µs)        PLAIN, or RLE_DICTIONARY when it pays
//	Int64    INT64       -                    "
//	Float64  DOUBLE      -                    "
//	String   BYTE_ARRAY  STRING               "
//	Bool     BOOLEAN     -                    PLAIN: one bit each
//
// Timestamps are UTC, and do not say so (isAdjustedToUTC is false): for those that do, readers in Python ask for tzdata or pytz.
//
// The column "time" is required, the others are optional. A column of Kind Null has no type and is left out of the file.
//
// # Readers
//
// The files of a table agree in the types of their columns, always; a later one may have more columns. An engine that takes the columns
// from the first file needs an option to show those:
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
// TestReaders compares what each of them reads with the rows that were landed.
//
// # Durability
//
// A file is written under a temporary name that engines skip (".{name}.tmp"), synced, renamed, and then its directory is
// synced, as is each directory on the way to the root when it is first used. What a crash leaves is a temporary file, which
// New removes. [Sink.Rewrite] gives landed files the kinds that their table's columns have now, each in its place and in the same way.
package parquet
