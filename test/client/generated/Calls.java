/** Calls the client of `openapi-generator -g java`, with either library. */
import java.util.List;
import made.ApiClient;
import made.api.*;
import made.model.*;

public class Calls {
  static String env(String name) {
    return System.getenv(name);
  }

  static void show(String name, Object result) throws Exception {
    System.out.println(name + "\t" + Json.write(result));
  }

  static <T> T body(Class<T> type, String name) throws Exception {
    return Json.read(env("BODY_" + name), type);
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = Json.client(env("BASE_URL"), env("API_KEY"));
    String geoid = env("GEOID");
    Double lat = Double.valueOf(env("LAT")), lon = Double.valueOf(env("LON"));
    Long poi = Long.valueOf(env("DEST_ID"));
    CatalogueApi catalogue = new CatalogueApi(client);
    IsochronesApi isochrones = new IsochronesApi(client);
    BlocksApi blocks = new BlocksApi(client);
    PoisApi pois = new PoisApi(client);
    CoverageApi coverage = new CoverageApi(client);
    List<String> walk = List.of("walk");

    show("getLastUpdated", catalogue.getLastUpdated(null));
    show("getModes", catalogue.getModes(null));
    show("getDestinationTypes", catalogue.getDestinationTypes(null));
    show("getWeights", catalogue.getWeights(null));
    show("getVintage", catalogue.getVintage(null));
    show("getPlans", catalogue.getPlans(null));
    show("findPlaces", new PlacesApi(client).findPlaces("port", null, null));
    show("getIsochroneMeta", isochrones.getIsochroneMeta(null));
    show("getTileArchives", isochrones.getTileArchives(null));
    show("getBlockBands", isochrones.getBlockBands(null, null, null));
    show("getExports", new ExportsApi(client).getExports(null, null, null, null, null, null));
    show("getBlockSummary", blocks.getBlockSummary(geoid, walk, null, null, null, null, null, true, null, null, null));
    show("listBlockPois", blocks.listBlockPois(geoid, null, null, null, null, null, null, null, 5, null, null));
    show("getPointSummary", new PointsApi(client).getPointSummary(lat, lon, null, null, null, null, null, null, null, null, null, null));
    show("searchPois", pois.searchPois(null, lat, lon, 2000.0, null, null, 5, null, null));
    show("getPoi", pois.getPoi(poi, null));
    show("listPoiCatchment", pois.listPoiCatchment(poi, null, null, null, null, null, null, 5, null, null));
    show("getBlockSummaries", blocks.getBlockSummaries(body(GetBlockSummariesRequest.class, "getBlockSummaries"), null));
    show("queryBlocks", new AreasApi(client).queryBlocks(body(QueryBlocksRequest.class, "queryBlocks"), null));
    show("measureCoverage", coverage.measureCoverage(body(MeasureCoverageRequest.class, "measureCoverage"), null));
    show("listPoisCatchments", pois.listPoisCatchments(body(ListPoisCatchmentsRequest.class, "listPoisCatchments"), null));
    show("measureSites", coverage.measureSites(body(MeasureSitesRequest.class, "measureSites"), null));
  }
}
