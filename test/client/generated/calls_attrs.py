"""Calls the client of openapi-python-client."""
import json, os
from importlib import import_module

PACKAGE = "travel_time_access_service_client"
made, models = import_module(PACKAGE), import_module(PACKAGE + ".models")
env = os.environ
geoid, lat, lon, poi = env["GEOID"], float(env["LAT"]), float(env["LON"]), int(env["DEST_ID"])
client = made.AuthenticatedClient(base_url=env["BASE_URL"], token=env["API_KEY"], raise_on_unexpected_status=True)


def show(name, module, *args, **kwargs):
    operation = import_module(f"{PACKAGE}.api.{module}")
    print(name, json.dumps(operation.sync(*args, client=client, **kwargs).to_dict()), sep="\t")


def body(model, name):
    return getattr(models, model).from_dict(json.loads(env["BODY_" + name]))


show("getLastUpdated", "catalogue.get_last_updated")
show("getModes", "catalogue.get_modes")
show("getDestinationTypes", "catalogue.get_destination_types")
show("getWeights", "catalogue.get_weights")
show("getVintage", "catalogue.get_vintage")
show("getPlans", "catalogue.get_plans")
show("findPlaces", "places.find_places", q="port")
show("getIsochroneMeta", "isochrones.get_isochrone_meta")
show("getTileArchives", "isochrones.get_tile_archives")
show("getBlockBands", "isochrones.get_block_bands")
show("getExports", "exports.get_exports")
show("getBlockSummary", "blocks.get_block_summary", geoid, mode=[models.GetBlockSummaryModeItem.WALK], names=True)
show("listBlockPois", "blocks.list_block_pois", geoid, limit=5)
show("getPointSummary", "points.get_point_summary", lat=lat, lon=lon)
show("searchPois", "po_is.search_pois", lat=lat, lon=lon, radius_m=2000, limit=5)
show("getPoi", "po_is.get_poi", poi)
show("listPoiCatchment", "po_is.list_poi_catchment", poi, limit=5)
show("getBlockSummaries", "blocks.get_block_summaries", body=body("GetBlockSummariesBody", "getBlockSummaries"))
show("queryBlocks", "areas.query_blocks", body=body("QueryBlocksBody", "queryBlocks"))
show("measureCoverage", "coverage.measure_coverage", body=body("MeasureCoverageBody", "measureCoverage"))
show("listPoisCatchments", "po_is.list_pois_catchments", body=body("ListPoisCatchmentsBody", "listPoisCatchments"))
show("measureSites", "coverage.measure_sites", body=body("MeasureSitesBody", "measureSites"))
