"""Prints the rows of a block in a Parquet file that DuckDB reads over HTTP, as JSON.

Usage: query_link.py URL GEOID.
"""

import glob
import json
import os
import sys

import duckdb
import duckdb_extension_httpfs

url, geoid = sys.argv[1:]
folder = os.path.dirname(duckdb_extension_httpfs.__file__)
[extension] = glob.glob(f"{folder}/extensions/*/httpfs.duckdb_extension")
db = duckdb.connect()
db.execute(f"load '{extension}'")
print(json.dumps(db.execute("from read_parquet(?) where geoid = ?", [url, geoid]).fetchall()))
