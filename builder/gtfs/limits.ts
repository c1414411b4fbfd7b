/**
 * What a feed may hold: far beyond any real one, so that a damaged or made-up feed ends in an error
 * and not in an endless build. A field beyond its bound is counted and left out like any that cannot
 * be; where leaving out would not help, the feed is refused. How much an archive may hold unpacked
 * is in `ZIP_LIMITS`.
 */
export const FEED_LIMITS = {
  /** Of a table, its header and empty lines too. */
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
  },
  services: 1_000_000,
  /** Of one route's timetable: among more, no successors are looked for. */
  versions: 100,
  /** Characters of a record: longer ones have a quote that does not close. */
  recordLength: 1 << 16,
  /** Seconds: a week, which is longer than any train runs. */
  serviceTime: 7 * 24 * 3600,
  /** Seconds: nothing follows itself faster, not the cabins of a cable car. */
  minHeadway: 5,
  /** Trips that headways make, a feed; and their calls. */
  repeatedTrips: 200_000,
  repeatedCalls: 10_000_000,
  /** Of a trip. */
  calls: 2_000,
  /** Along pathways, from every stop to every place: one of 40 platforms and 300 places takes 200,000. */
  pathwaySteps: 20_000_000,
  /** Doors of platforms, and straight walks between platforms: 500 stations of 100 each have so many. */
  stationWays: 5_000_000,
  /** Above or below the street. */
  level: 100,
  /** Pairs of stops that rules for changing name, those of stations spelled out. */
  transferRules: 3_000_000,
  /** Service outside of these is not looked at: feeds that run "until 9999", or since the year 1. */
  firstDate: '19900101',
  lastDate: '20991231',
} as const;

/** The tables that are read. */
export type FeedTable = keyof typeof FEED_LIMITS.rows;
