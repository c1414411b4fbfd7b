import com.conveyal.r5.analyst.TravelTimeComputer;
import com.conveyal.r5.analyst.WebMercatorGridPointSet;
import com.conveyal.r5.analyst.cluster.TravelTimeSurfaceTask;
import com.conveyal.r5.analyst.scenario.Scenario;
import com.conveyal.r5.api.util.LegMode;
import com.conveyal.r5.api.util.TransitModes;
import com.conveyal.r5.point_to_point.builder.TNBuilderConfig;
import com.conveyal.r5.profile.StreetMode;
import com.conveyal.r5.transit.TransportNetwork;
import com.sun.management.OperatingSystemMXBean;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Whole minutes, rounded down, from points to the cells of R5's grid, with the settings of the
 * builder: ORIGINS is a file of "lon,lat" lines. To OUT, a line "cell,lon,lat" each cell, then for
 * each origin and mode a line of the mode and the minutes to each cell, and a line "ms-MODE,…" with
 * the milliseconds of processor time for an origin.
 *
 * <p>Usage: R5Times OSM DATE ORIGINS OUT GTFS...
 */
public class R5Times {
  public static void main(String[] args) throws Exception {
    List<String> gtfs = Arrays.asList(args).subList(4, args.length);
    TransportNetwork network =
        TransportNetwork.fromFiles(args[0], gtfs, TNBuilderConfig.defaultConfig());
    network.scenarioId = "as it is";
    network.transitLayer.parentNetwork = network;
    network.transitLayer.buildDistanceTables(null);
    network.rebuildTransientIndexes();
    network.rebuildLinkedGridPointSet(StreetMode.WALK, StreetMode.BICYCLE);
    WebMercatorGridPointSet grid = network.fullExtentGridPointSet;
    List<String> origins = Files.readAllLines(Path.of(args[2]));
    String[] modes = {
      "walk", "step-free", "bike", "bike-anywhere", "transit", "transit-median", "transit-early"
    };
    Map<String, Long> nanos = new HashMap<>();
    try (PrintWriter out = new PrintWriter(args[3])) {
      for (int cell = 0; cell < grid.featureCount(); cell++) {
        out.println("cell," + grid.getLon(cell) + "," + grid.getLat(cell));
      }
      // The first round compiles the code.
      for (boolean isWarm : new boolean[] {false, true}) {
        for (String origin : origins) {
          for (String mode : modes) {
            TravelTimeSurfaceTask task = task(network, mode, args[1]);
            task.fromLon = Double.parseDouble(origin.split(",")[0]);
            task.fromLat = Double.parseDouble(origin.split(",")[1]);
            long before = processorNanos();
            int[] times =
                new TravelTimeComputer(task, network)
                    .computeTravelTimes().travelTimes.getValues()[0];
            nanos.merge(mode, processorNanos() - before, (a, b) -> isWarm ? a + b : 0);
            if (!isWarm) continue;
            out.println(
                mode + Arrays.stream(times).mapToObj(t -> "," + t).collect(Collectors.joining()));
          }
        }
      }
      for (String mode : modes) {
        out.println("ms-" + mode + "," + nanos.get(mode) / 1e6 / origins.size());
      }
    }
    System.exit(0);
  }

  /** The processor time of all threads, garbage collection included. */
  private static long processorNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static TravelTimeSurfaceTask task(TransportNetwork network, String mode, String date) {
    WebMercatorGridPointSet grid = network.fullExtentGridPointSet;
    boolean isTransit = mode.startsWith("transit");
    int hour = mode.equals("transit-early") ? 7 : 8;
    TravelTimeSurfaceTask task = new TravelTimeSurfaceTask();
    task.zoom = grid.zoom;
    task.west = grid.west;
    task.north = grid.north;
    task.width = grid.width;
    task.height = grid.height;
    task.zoneId = network.getTimeZone();
    task.date = LocalDate.parse(date);
    task.fromTime = hour * 3600;
    task.toTime = (hour + 1) * 3600;
    task.percentiles = new int[] {mode.equals("transit-median") ? 50 : 10};
    task.monteCarloDraws = 60;
    task.walkSpeed = 4.8f / 3.6f;
    task.bikeSpeed = 15f / 3.6f;
    task.bikeTrafficStress = mode.equals("bike-anywhere") ? 4 : 3;
    task.maxTripDurationMinutes = 60;
    task.streetTime = 60;
    task.maxWalkTime = isTransit ? 30 : 60;
    task.maxBikeTime = 60;
    task.maxRides = 8;
    EnumSet<LegMode> street =
        EnumSet.of(mode.startsWith("bike") ? LegMode.BICYCLE : LegMode.WALK);
    task.directModes = street;
    task.accessModes = street;
    task.egressModes = EnumSet.of(LegMode.WALK);
    task.transitModes =
        isTransit ? EnumSet.allOf(TransitModes.class) : EnumSet.noneOf(TransitModes.class);
    task.wheelchair = mode.equals("step-free");
    task.scenario = new Scenario();
    return task;
  }
}
