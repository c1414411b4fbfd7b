"""Prints the rows of a Parquet file, as DuckDB and as pyarrow read them, as JSON.

Usage: read_rows.py FILE. Floats are rounded to a tenth, coordinates are as they are.
"""

import json
import sys

import duckdb
import pyarrow.parquet as pq

[file] = sys.argv[1:]
table = duckdb.sql(f"from '{file}'")


def rounded(row):
    return {**row, "travel_time": round(row["travel_time"], 1)}


found = {
    "duckdb": [rounded(dict(zip(table.columns, row))) for row in table.fetchall()],
    "pyarrow": [rounded(row) for row in pq.read_table(file).to_pylist()],
}
print(json.dumps(found))
