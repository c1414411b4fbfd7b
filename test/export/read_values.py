"""Prints what a program reads in the Parquet files of an exported release.

Usage: read_values.py duckdb|polars|pyarrow RELEASE_FOLDER COUNTY. For each table, as JSON, its number
of rows and the SHA-256 of each column's values; outlines are well-known binary. Files of other
counties are passed over.
"""

import glob
import hashlib
import json
import sys


def by_duckdb(file):
    import duckdb

    db = duckdb.connect()
    # Otherwise outlines have a type of DuckDB's own.
    db.execute("load parquet")
    db.execute("set enable_geoparquet_conversion = false")
    found = db.execute("from read_parquet(?, hive_partitioning = false)", [file])
    names = [name for name, *_ in found.description]
    rows = found.fetchall()
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def by_polars(file):
    import polars

    return polars.read_parquet(file, hive_partitioning=False).to_dict(as_series=False)


def by_pyarrow(file):
    import pyarrow.parquet as parquet

    return parquet.read_table(file, partitioning=None).to_pydict()


def plain(value):
    return value.hex() if isinstance(value, bytes) else value


reader, release, county = sys.argv[1:]
columns_of = {"duckdb": by_duckdb, "polars": by_polars, "pyarrow": by_pyarrow}[reader]
found = {}
for folder in sorted(glob.glob(f"{release}/table=*")):
    rows, digests = 0, {}
    for file in sorted(glob.glob(f"{folder}/**/*.parquet", recursive=True)):
        if "county=" in file and f"county={county}" not in file:
            continue
        columns = columns_of(file)
        rows += len(next(iter(columns.values())))
        for name, values in columns.items():
            text = json.dumps([plain(value) for value in values])
            digests.setdefault(name, hashlib.sha256()).update(text.encode())
    table = folder.split("=")[-1]
    columns = {name: digest.hexdigest() for name, digest in digests.items()}
    found[table] = {"rows": rows, "columns": columns}
print(json.dumps(found))
