# engines.py ENGINE FILE...: prints as JSON what the engine (pyarrow or duckdb) reads from each file:
# [{"Types": {column: type}, "Cells": {column: [cell or null]}}]. Cells are text that tells all values apart: floats are
# their bits in hex, text its bytes in hex, times microseconds since 1970.
import json
import struct
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq


def cells(column):
    kind = column.type
    if pa.types.is_timestamp(kind):
        column, kind = column.cast(pa.int64()), pa.int64()
    values = column.to_pylist()
    if pa.types.is_floating(kind):
        show = lambda v: struct.pack(">d", v).hex()
    elif pa.types.is_boolean(kind):
        show = lambda v: "true" if v else "false"
    elif pa.types.is_integer(kind):
        show = str
    else:
        show = lambda v: v.encode().hex()
    return [None if v is None else show(v) for v in values]


def arrow(path):
    table = pq.ParquetFile(path, page_checksum_verification=True).read()
    return table, {f.name: str(f.type) for f in table.schema}


def duck(path):
    source = duckdb.read_parquet(path, hive_partitioning=False)
    types = dict(zip(source.columns, map(str, source.types)))
    # Times are cast within DuckDB: as values they would depend on the machine's zone.
    times = [f'epoch_us("{n}") AS "{n}"' for n, t in types.items() if t.startswith("TIMESTAMP")]
    if times:
        source = source.project(f"* REPLACE ({', '.join(times)})")
    return source.to_arrow_table(), types


read = {"pyarrow": arrow, "duckdb": duck}[sys.argv[1]]
files = []
for path in sys.argv[2:]:
    table, types = read(path)
    files.append({"Types": types, "Cells": {n: cells(table.column(n)) for n in table.column_names}})
json.dump(files, sys.stdout)
