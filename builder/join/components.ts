import { hashOfJson } from '../../shards/codec/json-object.ts';
import type { FurtherWalk } from '../../shards/modes.ts';
import type { Component, FeedFacts } from '../../shards/release/manifest.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { PARK_LEAVES, TAXONOMY, TAXONOMY_VERSION } from '../destinations/taxonomy.ts';
import {
  HILLS,
  type Routing,
  type WheelchairUnknown,
  walkingSpeed,
} from '../routing-parameters.ts';

/**
 * Increment a number when the same files produce different data, so that components built from that
 * data get new versions.
 */
const READ_AS = { streets: 4, timetable: 7, destinations: 9, blocks: 2 } as const;

/** Census day: the reference date of the 2020 blocks and their populations. */
const CENSUS_DAY = '2020-04-01';
const SOURCE_DIGITS = 16;
const READING_DIGITS = 8;

export interface ReleaseSources {
  /** Digests of the contents of files, each once. */
  readonly files: Readonly<Record<'osm' | 'blocks' | 'listed', readonly string[]>> & {
    /** Only in a release whose streets have hills. */
    readonly elevation?: readonly string[];
  };
  /** The feeds, and their common service day; null without feeds. */
  readonly transit: {
    readonly service_date: string;
    readonly feeds: FeedFacts[];
    /** Only in a release with step-free transit. */
    readonly wheelchairUnknown?: WheelchairUnknown | undefined;
  } | null;
  readonly streetsAsOfMs: number;
  readonly listedTypes: ReadonlySet<DestTypeId>;
  /** The street modes besides walking and cycling. */
  readonly furtherWalks: readonly FurtherWalk[];
  readonly routing: Routing;
}

/**
 * Returns the components of a release's data. The version of a component changes with everything
 * that it was built from, and with nothing else. Its form is `<sources>/<reading>`, where a source
 * is identified by the contents of its files, whatever their names and order, and the reading by
 * its parameters and the code's version.
 */
export function components(sources: ReleaseSources): Component[] {
  const { files, transit, listedTypes, streetsAsOfMs, furtherWalks, routing } = sources;
  const osm = filesSource('osm', files.osm);
  const listed = files.listed.length > 0 ? filesSource('files', files.listed) : null;
  const gtfs = transit && feedsSource(transit);
  const elevation = files.elevation ? filesSource('elevation', files.elevation) : null;
  const osmDay = new Date(streetsAsOfMs).toISOString().slice(0, 10);
  // A user's own files may list parks; Overture's have none.
  const listedParks = PARK_LEAVES.some((leaf) => listedTypes.has(leaf)) ? listed : null;
  return [
    {
      component: 'road_network',
      version: version(
        [osm, elevation],
        'streets',
        READ_AS.streets,
        streetParameters(routing, elevation, furtherWalks),
      ),
      effective_date: osmDay,
    },
    ...(transit
      ? [
          {
            component: 'transit_network' as const,
            // The map gives the levels of stations.
            version: version([gtfs, osm], 'timetable', READ_AS.timetable, [
              transitParameters(routing),
              ...(transit.wheelchairUnknown ? [transit.wheelchairUnknown] : []),
            ]),
            effective_date: transit.service_date,
          },
        ]
      : []),
    {
      component: 'pois',
      version: version([osm, listed, gtfs], `taxonomy-${TAXONOMY_VERSION}`, READ_AS.destinations, [
        TAXONOMY,
        ...(gtfs ? [READ_AS.timetable, transitParameters(routing)] : []),
      ]),
      effective_date: osmDay,
    },
    {
      component: 'blocks',
      version: version([filesSource('tabblock20', files.blocks)], 'blocks', READ_AS.blocks),
      effective_date: CENSUS_DAY,
    },
    {
      component: 'parks',
      version: version([osm, listedParks], `taxonomy-${TAXONOMY_VERSION}`, READ_AS.destinations, [
        TAXONOMY,
      ]),
      effective_date: osmDay,
    },
  ];
}

function version(
  sources: readonly (string | null)[],
  name: string,
  readAs: number,
  parameters: unknown = null,
): string {
  const from = sources.filter((source) => source !== null).join('+');
  return `${from}/${name}-${hashOfJson([readAs, parameters]).slice(0, READING_DIGITS)}`;
}

function filesSource(name: string, prints: readonly string[]): string {
  return `${name}-${hashOfJson([...prints].sort()).slice(0, SOURCE_DIGITS)}`;
}

/** Identifies feeds together with the days they were read for. */
function feedsSource({ feeds, service_date }: NonNullable<ReleaseSources['transit']>): string {
  const read = feeds.map((feed) => `${feed.sha256} on ${feed.service_date}`);
  return `gtfs-${hashOfJson([service_date, read.sort()]).slice(0, SOURCE_DIGITS)}`;
}

/**
 * Returns all street parameters: everything in `Routing` except transit, so that none can be
 * forgotten.
 */
function streetParameters(
  routing: Routing,
  elevation: string | null,
  furtherWalks: readonly FurtherWalk[],
) {
  const { transit: _, ...streets } = routing;
  return {
    ...streets,
    ...(elevation && { hills: HILLS }),
    ...(furtherWalks.length > 0 && {
      modes: furtherWalks.map((mode) => [mode, walkingSpeed(mode, routing)]),
    }),
  };
}

function transitParameters({ transit, maxReachMinutes }: Routing) {
  return { ...transit, maxReachMinutes };
}
