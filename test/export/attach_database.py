"""Makes a database of the views of an export, and attaches it over HTTP.

Usage: attach_database.py make, in the folder of the release, writes release.duckdb there.
attach_database.py ADDRESS attaches that of a folder on a server, and prints the rows of each view
as JSON.
"""

import glob
import json
import os
import sys

import duckdb
import duckdb_extension_httpfs

if sys.argv[1] == "make":
    db = duckdb.connect("release.duckdb")
    with open("views.sql") as file:
        db.execute(file.read())
    db.close()
    sys.exit()

address = sys.argv[1]
folder = os.path.dirname(duckdb_extension_httpfs.__file__)
[extension] = glob.glob(f"{folder}/extensions/*/httpfs.duckdb_extension")
db = duckdb.connect()
db.execute(f"load '{extension}'")
db.execute(f"attach '{address}/release.duckdb' as tables (read_only)")
db.execute(f"set variable base = '{address}'")
views = db.execute("select view_name from duckdb_views() where database_name = 'tables'").fetchall()
count = "select count(*) from tables.{}"
print(json.dumps({name: db.execute(count.format(name)).fetchone()[0] for (name,) in views}))
