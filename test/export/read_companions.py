"""Uses what lies beside the tables of an export, in the current folder.

Usage: read_companions.py ADDRESS. Runs views.sql here and, from the root folder, for the address;
validates collection.json against the schema of STAC. Prints the rows of each view, twice, and the
assets of the collection as JSON.
"""

import json
import os
import sys

import duckdb
from jsonschema import Draft7Validator
from pystac.validation.local_validator import get_local_schema_cache
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

with open("views.sql") as file:
    script = file.read()
with open("collection.json") as file:
    collection = json.load(file)


def rows(db):
    db.execute(script)
    views = db.execute("select view_name from duckdb_views() where not internal").fetchall()
    return {
        name: db.execute(f'select count(*) from "{name}"').fetchall()[0][0]
        for (name,) in sorted(views)
    }


here = rows(duckdb.connect())
os.chdir("/")
db = duckdb.connect()
db.execute(f"set variable base = '{sys.argv[1]}'")
there = rows(db)
schemas = get_local_schema_cache()
registry = Registry().with_resources(
    (uri, Resource.from_contents(schema, default_specification=DRAFT7))
    for uri, schema in schemas.items()
)
uri = "https://schemas.stacspec.org/v1.1.0/collection-spec/json-schema/collection.json"
errors = Draft7Validator(schemas[uri], registry=registry).iter_errors(collection)
print(
    json.dumps(
        {
            "here": here,
            "there": there,
            "assets": list(collection["assets"]),
            "errors": [error.message for error in errors],
        }
    )
)
