"""Reads an exported release with DuckDB and pyarrow.

Usage: read_tables.py RELEASE_FOLDER OUT_FOLDER. Writes each table's rows by DuckDB, in the order of
the files, as CSV without a header; prints each table's rows and sums by either as JSON.
"""

import glob
import json
import sys

import duckdb
import pyarrow.compute as pc
import pyarrow.parquet as pq

NUMBERS = ("FLOAT", "DOUBLE", "UTINYINT", "INTEGER", "UINTEGER", "BIGINT")

release, out = sys.argv[1:]
db = duckdb.connect()
found = {}
for folder in sorted(glob.glob(f"{release}/table=*")):
    table = folder.split("=")[-1]
    files = sorted(glob.glob(f"{folder}/**/*.parquet", recursive=True))
    source = f"read_parquet({files}, hive_partitioning = false)"
    columns = db.execute(f"describe from {source}").fetchall()
    shown = ", ".join(
        f'"{name}"::DECIMAL(6, 1)' if kind == "FLOAT" else f'"{name}"'
        for name, kind, *_ in columns
        if not kind.startswith(("BLOB", "GEOMETRY", "STRUCT"))
    )
    db.execute(f"copy (select {shown} from {source}) to '{out}/{table}.csv' (header false)")
    numbers = [name for name, kind, *_ in columns if kind in NUMBERS]
    sums = ", ".join(f'sum("{name}"::DOUBLE)' for name in numbers)
    rows, *duckdb_sums = db.execute(f"select count(*), {sums} from {source}").fetchall()[0]
    arrow = [pq.read_table(file, partitioning=None) for file in files]
    arrow_sums = [
        sum(pc.sum(part[name].cast("double")).as_py() or 0 for part in arrow) for name in numbers
    ]
    found[table] = {
        "types": {name: kind for name, kind, *_ in columns},
        "duckdb": [rows, *[value or 0 for value in duckdb_sums]],
        "pyarrow": [sum(part.num_rows for part in arrow), *arrow_sums],
    }
print(json.dumps(found))
