"""Reads blocks by a box, which takes the column of boxes of GeoParquet 1.1.

Usage: read_boxes.py BLOCKS_1_1.parquet BLOCKS_2_0.parquet. Prints as JSON the rows of the first file,
how many geopandas reads of them by the box of the first row, how many boxes intersect that one, and
the columns that are not the same in both files, which geopandas reads without boxes.
"""

import json
import sys

import geopandas

older, newer = sys.argv[1:]
blocks = geopandas.read_parquet(older)
others = geopandas.read_parquet(newer)
box = blocks.geometry.iloc[0]
print(
    json.dumps(
        {
            "rows": len(blocks),
            "boxed": len(geopandas.read_parquet(older, bbox=tuple(box.bounds))),
            "intersecting": int(blocks.geometry.envelope.intersects(box.envelope).sum()),
            "different": [
                name
                for name in blocks
                if name not in others or not blocks[name].equals(others[name])
            ],
        }
    )
)
