"""Runs the SQL and Python of a recipe in the current folder, that of an exported release.

Usage: run_recipe.py RECIPE.md COUNTY. Prints as JSON the rows of each query, and what the Python
code prints for the county.
"""

import contextlib
import io
import json
import re
import sys

import duckdb

recipe, county = sys.argv[1:]
with open(recipe) as file:
    blocks = re.findall(r"```(sql|python)\n(.*?)```", file.read(), re.DOTALL)
db = duckdb.connect()
with open("views.sql") as file:
    db.execute(file.read())
results = [db.execute(code).fetchall() for language, code in blocks if language == "sql"]
files = {
    table.upper(): f"table={table}/state={county[:2]}/county={county}.parquet"
    for table in ("blocks", "nearest_wide")
}
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    for language, code in blocks:
        if language == "python":
            exec(code, dict(files))
print(json.dumps({"results": results, "printed": printed.getvalue()}))
