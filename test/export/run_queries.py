"""Runs the SQL of a recipe in the current folder by DuckDB.

Usage: run_queries.py RECIPE.md. Prints the rows of each query as JSON.
"""

import json
import re
import sys

import duckdb

with open(sys.argv[1]) as file:
    blocks = re.findall(r"```sql\n(.*?)```", file.read(), re.DOTALL)
db = duckdb.connect()
results = [db.execute(query).fetchall() for code in blocks for query in code.split(";\n")[:-1]]
print(json.dumps(results, default=int))
