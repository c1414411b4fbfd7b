"""Calls the client of `openapi-generator -g python`."""
import json, os
import openapi_client as made

env = os.environ
geoid, lat, lon, poi = env["GEOID"], float(env["LAT"]), float(env["LON"]), int(env["DEST_ID"])
client = made.ApiClient(made.Configuration(host=env["BASE_URL"], access_token=env["API_KEY"]))
catalogue, isochrones = made.CatalogueApi(client), made.IsochronesApi(client)
blocks, pois, coverage = made.BlocksApi(client), made.POIsApi(client), made.CoverageApi(client)


def show(name, result):
    print(name, result.to_json(), sep="\t")


def body(model, name):
    return model.from_json(env["BODY_" + name])


show("getLastUpdated", catalogue.get_last_updated())
show("getModes", catalogue.get_modes())
show("getDestinationTypes", catalogue.get_destination_types())
show("getWeights", catalogue.get_weights())
show("getVintage", catalogue.get_vintage())
show("getPlans", catalogue.get_plans())
show("findPlaces", made.PlacesApi(client).find_places(q="port"))
show("getIsochroneMeta", isochrones.get_isochrone_meta())
show("getTileArchives", isochrones.get_tile_archives())
show("getBlockBands", isochrones.get_block_bands())
show("getExports", made.ExportsApi(client).get_exports())
show("getBlockSummary", blocks.get_block_summary(geoid=geoid, mode=["walk"], names=True))
show("listBlockPois", blocks.list_block_pois(geoid=geoid, limit=5))
show("getPointSummary", made.PointsApi(client).get_point_summary(lat=lat, lon=lon))
show("searchPois", pois.search_pois(lat=lat, lon=lon, radius_m=2000, limit=5))
show("getPoi", pois.get_poi(dest_id=poi))
show("listPoiCatchment", pois.list_poi_catchment(dest_id=poi, limit=5))
show("getBlockSummaries", blocks.get_block_summaries(body(made.GetBlockSummariesRequest, "getBlockSummaries")))
show("queryBlocks", made.AreasApi(client).query_blocks(body(made.QueryBlocksRequest, "queryBlocks")))
show("measureCoverage", coverage.measure_coverage(body(made.MeasureCoverageRequest, "measureCoverage")))
show("listPoisCatchments", pois.list_pois_catchments(body(made.ListPoisCatchmentsRequest, "listPoisCatchments")))
show("measureSites", coverage.measure_sites(body(made.MeasureSitesRequest, "measureSites")))
