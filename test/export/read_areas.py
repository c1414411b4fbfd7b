"""Compares GeoParquet with FlatGeobuf by GDAL and GEOS.

Usage: read_areas.py BLOCKS.parquet BLOCKS.fgb PLACES.parquet. Prints as JSON how many blocks there
are, how many of them have the same area in both files, whether all areas are valid, the coordinate
system, and the names of the places that contain their own point.
"""

import json
import sys

import geopandas

blocks, layer, places = sys.argv[1:]
exported = geopandas.read_parquet(blocks).set_index("geoid")
published = geopandas.read_file(layer).set_index("geoid").loc[exported.index]
published = published.set_crs(exported.crs, allow_override=True)
towns = geopandas.read_parquet(places)
points = geopandas.GeoSeries.from_xy(towns.lon, towns.lat, crs=towns.crs)
print(
    json.dumps(
        {
            "blocks": len(exported),
            # Exported to a millionth of a degree.
            "same": int((exported.hausdorff_distance(published) < 1e-6).sum()),
            "valid": bool(exported.geometry.is_valid.all() and towns.geometry.is_valid.all()),
            "crs": exported.crs.to_string(),
            "places": towns[towns.geometry.contains(points)].name.tolist(),
        }
    )
)
