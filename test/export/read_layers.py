"""Compares layers that GDAL reads with the GeoParquet of the same table.

Usage: read_layers.py BLOCKS.parquet NEAREST_WIDE.parquet PLACES.parquet LAYER... Each layer is a
FlatGeobuf, GeoJSON or GeoPackage whose name begins with its table. Prints as JSON, by layer, its
coordinate system, the kinds of its geometries, and the columns in which it differs.
"""

import json
import sys
from pathlib import Path

import geopandas
import pandas

blocks, nearest_wide, places, *layers = sys.argv[1:]
outlined = geopandas.read_parquet(blocks)
minutes = pandas.read_parquet(nearest_wide, partitioning=None)
tables = {
    "blocks": outlined,
    "nearest_wide": outlined.merge(minutes, on="geoid", validate="one_to_one"),
    "places": geopandas.read_parquet(places),
}


def family(column):
    """The type of a column, whatever its width; JSON has one kind of number."""
    name = column.dtype.kind if hasattr(column.dtype, "kind") else str(column.dtype)
    return "number" if name in "iuf" else name


found = {}
for file in layers:
    expected = tables[Path(file).name.split(".")[0]]
    read = geopandas.read_file(file)
    other = [name for name in expected if name not in read]
    other += [name for name in read if name not in expected]
    for name in [name for name in expected if name in read and name != "geometry"]:
        same = family(read[name]) == family(expected[name])
        if not same or not read[name].equals(expected[name].astype(read[name].dtype)):
            other.append(name)
    # EPSG:4326 in the order of longitude and latitude, which OGC calls CRS84.
    read_crs = read.crs.to_epsg()
    read = read.set_crs(expected.crs, allow_override=True)
    singles = read.geometry.explode().normalize().reset_index(drop=True)
    parts = expected.geometry.explode().normalize().reset_index(drop=True)
    if len(singles) != len(parts) or not singles.geom_equals_exact(parts, 0).all():
        other.append("geometry")
    found[Path(file).name] = {
        "crs": read_crs,
        "kinds": sorted(read.geometry.geom_type.unique()),
        "rows": len(read),
        "different": other,
    }
print(json.dumps(found))
