/**
 * Limits of a feed, far beyond those of any real feed, so that a damaged or forged feed leads to an
 * error instead of an endless build. A field beyond its limit is counted and dropped like any
 * invalid one; where dropping it would not help, the feed is rejected. The unpacked size of
 * archives is limited by `ZIP_LIMITS`.
 */
export const FEED_LIMITS = {
  /** Rows of a table, including its header and empty lines. */
  rows: {
    'agency.txt': 100_000,
    'feed_info.txt': 10_000,
    'stops.txt': 2_000_000,
    'calendar.txt': 1_000_000,
    'calendar_dates.txt': 20_000_000,
    'routes.txt': 1_000_000,
    'trips.txt': 5_000_000,
    'stop_times.txt': 250_000_000,
    'frequencies.txt': 1_000_000,
    'transfers.txt': 5_000_000,
    'pathways.txt': 1_000_000,
    'levels.txt': 1_000_000,
    'shapes.txt': 250_000_000,
  },
  services: 1_000_000,
  /** Versions of one route's timetable; with more, successors are not looked for. */
  versions: 100,
  /** Characters of a record; a longer one has an unclosed quote. */
  recordLength: 1 << 16,
  /** The latest time of a trip, in seconds: a week, longer than any train runs. */
  serviceTime: 7 * 24 * 3600,
  /**
   * The shortest headway, in seconds: shorter than any real one, even of the cabins of a cable car.
   */
  minHeadway: 5,
  /**
   * Trips of a feed that headways generate around the departures of one morning, and the calls of
   * these trips.
   */
  repeatedTrips: 500_000,
  repeatedCalls: 20_000_000,
  /** Calls of a trip. */
  calls: 2_000,
  /** Points of the shapes that are read for trips with blank times. */
  shapePoints: 50_000_000,
  /**
   * Points of the shapes that lines are drawn along. Each takes some 300 bytes of memory while the
   * lines of a route are made.
   */
  linePoints: 2_000_000,
  /**
   * Segments of shapes near stops, and comparisons of these. 10,000 patterns of 50 stops take 200
   * million.
   */
  shapeSteps: 2_000_000_000,
  /**
   * Steps along pathways, from every stop to every location. A station with 40 platforms and 300
   * locations takes 200,000.
   */
  pathwaySteps: 20_000_000,
  /**
   * Entrances of platforms, and straight walks between platforms: enough for 500 stations with 100
   * platforms each.
   */
  stationWays: 5_000_000,
  level: 100,
  /** Pairs of stops in transfer rules, with stations expanded to their stops. */
  transferRules: 3_000_000,
  /** Service outside these dates is ignored: some feeds run "until 9999", or since the year 1. */
  firstDate: '19900101',
  lastDate: '20991231',
} as const;

export type FeedTable = keyof typeof FEED_LIMITS.rows;
