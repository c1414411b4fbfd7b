import { createHash } from 'node:crypto';
import type { Component, FeedFacts } from '../../shards/release/manifest.ts';
import type { DestTypeId } from '../../shards/units.ts';
import { PARK_LEAVES, TAXONOMY, TAXONOMY_VERSION } from '../destinations/taxonomy.ts';
import { HILLS, ROUTING } from '../routing-parameters.ts';

/** Change one when the same files come to give other data: components made of it get new versions. */
const READ_AS = { streets: 2, timetable: 6, destinations: 2, blocks: 1 } as const;

/** Census day: what the 2020 blocks and their populations speak of. */
const CENSUS_DAY = '2020-04-01';
const SOURCE_DIGITS = 16;
const READING_DIGITS = 8;

/** What all regions of a release were made from. */
export interface ReleaseSources {
  /** The contents of files, each once. */
  readonly files: Readonly<Record<'osm' | 'blocks' | 'listed', readonly string[]>> & {
    /** Of a release whose streets have hills. */
    readonly elevation?: readonly string[];
  };
  /** The day that all feeds were read for, and they; null without any. */
  readonly transit: {
    readonly service_date: string;
    readonly feeds: FeedFacts[];
  } | null;
  readonly streetsAsOfMs: number;
  readonly listedTypes: ReadonlySet<DestTypeId>;
}

/**
 * The data a release is made of. The version of each part changes with everything that it was made
 * from and with nothing else: `<sources>/<reading>`, where a source is named by the contents of its
 * files, whatever their names and order, and the reading by its parameters and the code's version.
 */
export function components(sources: ReleaseSources): Component[] {
  const { files, transit, listedTypes, streetsAsOfMs } = sources;
  const osm = filesSource('osm', files.osm);
  const listed = files.listed.length > 0 ? filesSource('files', files.listed) : null;
  const gtfs = transit && feedsSource(transit);
  const elevation = files.elevation ? filesSource('elevation', files.elevation) : null;
  const osmDay = new Date(streetsAsOfMs).toISOString().slice(0, 10);
  // Files of one's own may list parks; those of Overture have none.
  const listedParks = PARK_LEAVES.some((leaf) => listedTypes.has(leaf)) ? listed : null;
  return [
    {
      component: 'road_network',
      version: version([osm, elevation], 'streets', READ_AS.streets, streetParameters(elevation)),
      effective_date: osmDay,
    },
    ...(transit
      ? [
          {
            component: 'transit_network' as const,
            // The map says how stations lie to the street.
            version: version([gtfs, osm], 'timetable', READ_AS.timetable, [transitParameters()]),
            effective_date: transit.service_date,
          },
        ]
      : []),
    {
      component: 'pois',
      version: version([osm, listed, gtfs], `taxonomy-${TAXONOMY_VERSION}`, READ_AS.destinations, [
        TAXONOMY,
        ...(gtfs ? [READ_AS.timetable, transitParameters()] : []),
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
  return `${from}/${name}-${digest([readAs, parameters]).slice(0, READING_DIGITS)}`;
}

function filesSource(name: string, prints: readonly string[]): string {
  return `${name}-${digest([...prints].sort()).slice(0, SOURCE_DIGITS)}`;
}

/** Feeds as they run on the days they were read on. */
function feedsSource({ feeds, service_date }: NonNullable<ReleaseSources['transit']>): string {
  const read = feeds.map((feed) => `${feed.sha256} on ${feed.service_date}`);
  return `gtfs-${digest([service_date, read.sort()]).slice(0, SOURCE_DIGITS)}`;
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** Every parameter of streets: all of `ROUTING` but transit, so that none can be forgotten. */
function streetParameters(elevation: string | null) {
  const { transit: _, ...streets } = ROUTING;
  return { ...streets, ...(elevation && { hills: HILLS }) };
}

/** Every parameter of timetables and stations. */
function transitParameters() {
  return { ...ROUTING.transit, maxReachMinutes: ROUTING.maxReachMinutes };
}
