# readers.py DIR...: has each engine read each table, a directory of files, as its users do by default. Prints what they read as JSON:
# {engine: {dir: {"Error": text, "Cells": {column: {id: cell or null}}}}}. Cells are text that tells all values apart, as those of engines.py.
import json
import os
import struct
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds


def duckdb(path, options=""):
    import duckdb

    source = duckdb.sql(f"SELECT * FROM read_parquet('{path}/**/*.parquet'{options})")
    # Times are cast within DuckDB: as values they would depend on the machine's zone.
    times = [f'epoch_us("{n}") AS "{n}"' for n, t in zip(source.columns, map(str, source.types)) if t.startswith("TIMESTAMP")]
    return source.project(f"* REPLACE ({', '.join(times)})").to_arrow_table()


def arrow(path):
    return ds.dataset(path, partitioning="hive").to_table()


def arrow_unified(path):
    first = ds.dataset(path, partitioning="hive")
    schema = pa.unify_schemas([first.schema] + [f.physical_schema for f in first.get_fragments()])
    return ds.dataset(path, schema=schema, partitioning="hive").to_table()


def pandas(path):
    import pandas

    pandas.read_parquet(path)  # which has no integers beside missing cells
    return pa.Table.from_pandas(pandas.read_parquet(path, dtype_backend="pyarrow"))


def polars(path, **options):
    import polars

    return polars.scan_parquet(path + "/**/*.parquet", **options).collect().to_arrow()


def polars_late(path):
    # The latest file has all columns, and the schema is that of the first one that is named.
    import polars

    files = sorted((os.path.join(d, f) for d, _, names in os.walk(path) for f in names), key=os.path.basename, reverse=True)
    return polars.scan_parquet(files, missing_columns="insert").collect().to_arrow()


def datafusion(path):
    import datafusion

    context = datafusion.SessionContext()
    context.register_parquet("t", path)
    return context.sql("SELECT * FROM t").to_arrow_table()


def chdb(path, settings=""):
    import chdb

    return chdb.query(f"SELECT * FROM file('{path}/**/*.parquet', Parquet){settings}", "ArrowTable")


def spark(path, **options):
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", "UTC").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session.read.options(**options).parquet(path).toArrow()


engines = {
    "duckdb": duckdb,
    "duckdb, union_by_name": lambda path: duckdb(path, ", union_by_name=true"),
    "pyarrow": arrow,
    "pyarrow, unified": arrow_unified,
    "pandas": pandas,
    "polars": polars,
    "polars, insert": polars_late,
    "datafusion": datafusion,
    "chdb": chdb,
    "chdb, union": lambda path: chdb(path, " SETTINGS schema_inference_mode='union'"),
}
if os.environ.get("SLIPSTREAM_SPARK"):
    engines["spark"] = spark
    engines["spark, mergeSchema"] = lambda path: spark(path, mergeSchema=True)


def show(kind):
    if pa.types.is_timestamp(kind):
        return lambda v: str(v)
    if pa.types.is_floating(kind):
        return lambda v: struct.pack(">d", v).hex()
    if pa.types.is_boolean(kind):
        return lambda v: "true" if v else "false"
    if pa.types.is_integer(kind):
        return str
    return lambda v: (v if isinstance(v, bytes) else v.encode()).hex()


def cells(column):
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
        kind = kind.value_type
    if pa.types.is_timestamp(kind):
        column = pc.cast(pc.cast(column, pa.timestamp("us")), pa.int64())
    if pa.types.is_date(kind):
        column, kind = column.cast(pa.string()), pa.string()
    text = show(kind)
    return [None if v is None else text(v) for v in column.to_pylist()]


def read(engine, path):
    try:
        table = engine(path)
    except Exception as e:  # an engine's own words say what it refuses
        return {"Error": f"{type(e).__name__}: {e}"}
    ids = cells(table.column("id"))
    return {"Cells": {n: dict(zip(ids, cells(table.column(n)))) for n in table.column_names}, "Rows": len(ids)}


json.dump({name: {path: read(engine, path) for path in sys.argv[1:]} for name, engine in engines.items()}, sys.stdout)
