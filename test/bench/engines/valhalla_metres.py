"""Metres on foot between points, by Valhalla's shortest paths.

Usage: valhalla_metres.py PBF FOLDER POINTS OUT. POINTS is JSON, {"origins": [[lon, lat], …],
"targets": …}; OUT too: a row of metres an origin, null where there is no way.
"""

import json
import subprocess
import sys
from pathlib import Path

import valhalla

pbf, folder, points_file, out_file = sys.argv[1:]
tiles = Path(folder, "valhalla-tiles")
tiles.mkdir()
config = valhalla.get_config(tile_extract="", tile_dir=str(tiles), verbose=False)
config["service_limits"]["pedestrian"].update(
    max_distance=1e6, max_locations=100_000, max_matrix_distance=1e6, max_matrix_location_pairs=10**9
)
config_file = Path(folder, "valhalla.json")
config_file.write_text(json.dumps(config))
build = valhalla.PYVALHALLA_DIR / "bin/valhalla_build_tiles"
subprocess.run([str(build), "-c", str(config_file), pbf], check=True, stdout=subprocess.DEVNULL)

actor = valhalla.Actor(str(config_file))
points = json.loads(Path(points_file).read_text())
targets = [{"lon": lon, "lat": lat} for lon, lat in points["targets"]]
rows = []
for lon, lat in points["origins"]:
    response = actor.matrix({
        "sources": [{"lon": lon, "lat": lat}],
        "targets": targets,
        "costing": "pedestrian",
        "costing_options": {"pedestrian": {"shortest": True, "max_hiking_difficulty": 6}},
    })
    (row,) = response["sources_to_targets"]
    rows.append([None if cell["distance"] is None else cell["distance"] * 1000 for cell in row])
Path(out_file).write_text(json.dumps(rows))
