"""Reads styles of QGIS as XML.

Usage: read_styles.py BLOCKS.qml BANDS.qml. Prints as JSON, of each: labels, filters, and the colours
of each fill and of the stripes over it; of the first also the names and values of its variables.
"""

import json
import sys
import xml.etree.ElementTree as xml

blocks, bands = (xml.parse(file).getroot() for file in sys.argv[1:])


def colours(symbol):
    options = {"color", "line_color"}
    found = [one.get("value") for one in symbol.iter("Option") if one.get("name") in options]
    return ["#%02x%02x%02x" % tuple(map(int, value.split(",")[:3])) for value in found]


symbols = {one.get("name"): one for one in blocks.findall("renderer-v2/symbols/symbol")}
rules = [
    [rule.get("label"), rule.get("filter"), colours(symbols[rule.get("symbol")])]
    for rule in blocks.iter("rule")
]
styles = [[style.get("name"), style.get("expression"), colours(style)] for style in bands.iter("style")]
layers = sorted({style.get("layer") for style in bands.iter("style")})
variables = [
    [one.get("value") for one in each.findall("Option")]
    for each in blocks.findall("customproperties/Option/Option")
]
print(json.dumps({"rules": rules, "styles": styles, "layers": layers, "variables": variables}))
