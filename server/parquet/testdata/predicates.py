# predicates.py ENGINE FILE...: compares what the engine (pyarrow or duckdb) answers from each file, where it may skip pages and row
# groups by their bounds, with what it answers from the same rows in memory. Prints the differences as JSON: [text].
import datetime
import json
import sys

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

inf, nan = float("inf"), float("nan")
constants = {
    "float": [nan, inf, -inf, 0.0, -0.0, 9.0, -1.5, 1.7976931348623157e308, 5e-324, 4999.0, 5000.0],
    "int": [0, 9, -1, 2**63 - 1, -(2**63), 4999, 5000],
    "text": ["", "a", "prefix", "prefix" * 12, "\U0010ffff", "\U0010ffff" * 20, "z"],
    "bool": [True, False],
    "time": [datetime.datetime(1970, 1, 1), datetime.datetime(1970, 1, 1, 0, 0, 0, 5000)],
}


def kind(t):
    if pa.types.is_floating(t):
        return "float"
    if pa.types.is_integer(t):
        return "int"
    if pa.types.is_boolean(t):
        return "bool"
    if pa.types.is_timestamp(t):
        return "time"
    return "text"


def arrow(path):
    memory = pq.read_table(path)
    file = ds.dataset(path)
    for f in memory.schema:
        field = pc.field(f.name)
        tests = [("is null", field.is_null()), ("is valid", field.is_valid())]
        if kind(f.type) == "float":
            tests.append(("is nan", pc.is_nan(field)))
        for c in constants[kind(f.type)]:
            tests += [
                (f"< {c!r}", field < c), (f"<= {c!r}", field <= c), (f"> {c!r}", field > c),
                (f">= {c!r}", field >= c), (f"= {c!r}", field == c), (f"<> {c!r}", field != c),
            ]
        for name, test in tests:
            yield f"{f.name} {name}", file.to_table([f.name], filter=test).num_rows, memory.select([f.name]).filter(test).num_rows


def duck(path):
    duckdb.execute(f"CREATE OR REPLACE TABLE memory AS SELECT * FROM read_parquet('{path}', hive_partitioning=false)")
    file = f"read_parquet('{path}', hive_partitioning=false)"
    for f in pq.read_schema(path):
        c = '"' + f.name.replace('"', '""') + '"'
        queries = [f"count(*) FILTER ({c} IS NULL)", f"count({c})", f"min({c})::VARCHAR", f"max({c})::VARCHAR"]
        where = [f"{c} IS NULL", f"{c} IS NOT NULL"]
        if kind(f.type) == "float":
            where.append(f"isnan({c})")
        for v in constants[kind(f.type)]:
            literal = {
                "float": lambda: f"'{v!r}'::DOUBLE", "int": lambda: str(v), "bool": lambda: str(v),
                "text": lambda: f"'{v}'", "time": lambda: f"'{v.isoformat()}'::TIMESTAMP",
            }[kind(f.type)]()
            where += [f"{c} {op} {literal}" for op in ("<", "<=", ">", ">=", "=", "<>")]
        ask = [f"SELECT {q} FROM %s" for q in queries] + [f"SELECT count(*) FROM %s WHERE {w}" for w in where]
        for q in ask:
            got, want = (duckdb.execute(q % source).fetchone()[0] for source in (file, "memory"))
            # The format has a bound of zero be -0 below and +0 above: which zero it was is unknown.
            yield q, *(repr(v).replace("'-0.0'", "'0.0'") for v in (got, want))


compare = {"pyarrow": arrow, "duckdb": duck}[sys.argv[1]]
compared, different = 0, []
for path in sys.argv[2:]:
    for what, got, want in compare(path):
        compared += 1
        if got != want:
            different.append(f"{path}: {what}: {got}, in memory {want}")
json.dump({"Compared": compared, "Different": different}, sys.stdout)
