import type { BoundingBox } from '../../shards/units.ts';
import { Dice } from '../transit/dice.ts';
import { AGENCY, service } from '../transit/feed-records.ts';
import { type FeedTables, gtfsTime, zippedFeed } from '../transit/gtfs-text.ts';
import { type CatalogueEntry, serviceArea } from './catalogue-file.ts';
import type { Fault, Mirror } from './mirror.ts';

/** A feed of a catalogue, and why it must not be used. */
export interface MadeFeed {
  readonly entry: CatalogueEntry;
  /** The archive at its address; null if there is none. */
  readonly archive: Buffer | null;
  /** Failures of its downloads. */
  readonly faults: readonly Fault[];
  /** The reason for which it is left out; null if it is used. */
  readonly reason: RegExp | null;
  /** Whether the release lacks its service. */
  readonly isLost: boolean;
}

export interface FeedsRequest {
  readonly feeds: number;
  readonly twins: number;
  readonly defective: number;
}

const TRIPS = 6;
/** Attempts of a download, all of which fail. */
const ATTEMPTS = 20;
const STOPS = [0, 1, 2] as const;
const HTML = Buffer.from('<!doctype html><title>Sign in</title>');

/** Lines of three stops in some boxes, with twins of some and defective feeds among them. */
export async function manyFeeds(
  { feeds, twins, defective }: FeedsRequest,
  boxes: readonly BoundingBox[],
  url: string,
): Promise<MadeFeed[]> {
  const dice = new Dice(829);
  const made: MadeFeed[] = [];
  const idOf = (n: number) => `mdb-${1_000 + n}`;
  const entryOf = (n: number, box: BoundingBox): CatalogueEntry => ({
    id: idOf(n),
    provider: `Line ${n}`,
    'urls.latest': `${url}/${idOf(n)}/latest.zip`,
    ...serviceArea(box),
  });
  const lines = feeds - twins - defective;
  const tablesOf: FeedTables[] = [];
  for (let n = 0; n < lines; n++) {
    const box = boxes[n % boxes.length];
    tablesOf.push(lineIn(box, n, dice));
    const archive = await zippedFeed(tablesOf[n]);
    made.push({ entry: entryOf(n, box), archive, faults: [], reason: null, isLost: false });
  }
  for (let twin = 0; twin < twins; twin++) {
    const n = lines + twin;
    const entry = entryOf(n, boxes[twin % boxes.length]);
    const kind = TWINS[twin % TWINS.length];
    made.push({ ...(await kind(made[twin], tablesOf[twin], entry)), faults: [], isLost: false });
  }
  for (let defect = 0; defect < defective; defect++) {
    const n = lines + twins + defect;
    const box = boxes[defect % boxes.length];
    const kind = DEFECTS[defect % DEFECTS.length];
    const entry = entryOf(n, box);
    const own = await kind(lineIn(box, n, dice));
    made.push({ faults: [], isLost: true, ...own, entry: { ...entry, ...own.entry } });
  }
  return made;
}

/** Serves feeds at their addresses. */
export function putFeeds(mirror: Mirror, feeds: readonly MadeFeed[]): void {
  for (const { entry, archive, faults } of feeds) {
    if (archive === null) continue;
    const { pathname } = new URL(entry['urls.latest']);
    mirror.put(pathname, archive);
    mirror.fail(pathname, ...faults);
  }
}

/** A line of three stops at a random place in a box, on weekdays. */
function lineIn(
  { minLon, minLat, maxLon, maxLat }: BoundingBox,
  n: number,
  dice: Dice,
): FeedTables {
  const [lon, lat] = [dice.between(minLon, maxLon), dice.between(minLat, maxLat)];
  const first = 7 * 3_600 + dice.below(1_800);
  const trips = Array.from({ length: TRIPS }, (_, trip) => trip);
  return {
    'agency.txt': [{ ...AGENCY, agency_name: `Line ${n}` }],
    'stops.txt': STOPS.map((stop) => ({
      stop_id: `s${stop}`,
      stop_name: `Stop ${stop}`,
      stop_lat: (lat + 0.004 * stop).toFixed(6),
      stop_lon: lon.toFixed(6),
    })),
    'routes.txt': [{ route_id: 'r', agency_id: 'A', route_short_name: `${n}`, route_type: 3 }],
    'calendar.txt': [service('w', '1111100', 20260101, 20271231)],
    'trips.txt': trips.map((trip) => ({ route_id: 'r', service_id: 'w', trip_id: `t${trip}` })),
    'stop_times.txt': trips.flatMap((trip) =>
      STOPS.map((stop) => {
        const time = gtfsTime(first + 900 * trip + 120 * stop);
        const times = { arrival_time: time, departure_time: time };
        return { trip_id: `t${trip}`, ...times, stop_id: `s${stop}`, stop_sequence: stop };
      }),
    ),
  };
}

type Twin = (
  of: MadeFeed,
  tables: FeedTables,
  entry: CatalogueEntry,
) => Promise<Pick<MadeFeed, 'entry' | 'archive' | 'reason'>>;

/** A feed that another is: by its bytes, by its trips under other ids, by its address. */
const TWINS: readonly Twin[] = [
  async ({ archive }, _, entry) => ({ entry, archive, reason: /^has the tables of Line \d+ / }),
  async (_, tables, entry) => ({
    entry,
    archive: await zippedFeed(renumbered(tables)),
    reason: /^its service is also in mdb-\d+\.zip, which is read for /,
  }),
  async ({ entry: { 'urls.latest': latest } }, _, entry) => ({
    entry: { ...entry, 'urls.latest': latest },
    archive: null,
    reason: /^is the feed at the address of Line \d+ \(mdb-\d+\), which is used$/,
  }),
];

function renumbered(tables: FeedTables): FeedTables {
  return Object.fromEntries(
    Object.entries(tables).map(([file, rows]) => [
      file,
      rows.map((row) => ('trip_id' in row ? { ...row, trip_id: `new-${row.trip_id}` } : row)),
    ]),
  );
}

type Defect = (tables: FeedTables) => Promise<
  Pick<MadeFeed, 'archive' | 'reason'> &
    Partial<Pick<MadeFeed, 'faults' | 'isLost'>> & {
      readonly entry?: Readonly<Record<string, string>>;
    }
>;

const without = (tables: FeedTables, file: string): FeedTables =>
  Object.fromEntries(Object.entries(tables).filter(([name]) => name !== file));
const edited = (
  tables: FeedTables,
  file: string,
  edit: (row: FeedTables[string][number]) => FeedTables[string][number],
): FeedTables => ({ ...tables, [file]: tables[file].map(edit) });

/** Twelve defects. */
const DEFECTS: readonly Defect[] = [
  async () => ({ archive: HTML, reason: /latest\.zip: .*zip/ }),
  async (tables) => {
    const whole = await zippedFeed(tables);
    return { archive: whole.subarray(0, whole.length / 2), reason: /latest\.zip: .*zip/ };
  },
  async (tables) => ({
    archive: await zippedFeed(tables),
    faults: Array.from({ length: ATTEMPTS }, () => ({ cutAfter: 0 })),
    reason: /latest\.zip: /,
  }),
  async () => ({ archive: null, reason: /latest\.zip: not found \(404\)/ }),
  async () => ({
    archive: null,
    entry: { 'urls.latest': '', 'urls.authentication_type': '2' },
    reason: /^needs a key; once you have one, give its URL with --gtfs$/,
    isLost: false,
  }),
  async (tables) => ({
    archive: await zippedFeed(without(tables, 'stops.txt')),
    reason: /stops\.txt/,
  }),
  async (tables) => ({
    archive: await zippedFeed({ ...tables, 'stop_times.txt': [] }),
    reason: /stop_times\.txt/,
  }),
  async (tables) => ({
    archive: await zippedFeed({
      ...tables,
      'calendar.txt': [service('w', '0000011', 20260101, 20271231)],
    }),
    reason: /^no trip runs on any weekday$/,
    isLost: false,
  }),
  async (tables) => ({
    archive: await zippedFeed(
      edited(tables, 'agency.txt', (row) => ({ ...row, agency_timezone: 'Baltimore' })),
    ),
    reason: /agency_timezone.*Baltimore|Baltimore.*time zone/,
  }),
  async (tables) => ({
    archive: await zippedFeed({
      ...tables,
      'calendar.txt': [service('w', '1111100', 20_269_901, 20_271_231)],
    }),
    reason: /^no trip runs on any weekday.*calendar\.txt/,
  }),
  async (tables) => ({
    archive: await zippedFeed(
      edited(tables, 'stops.txt', ({ stop_lat: lon, stop_lon: lat, ...row }) => ({
        ...row,
        stop_lat: lat,
        stop_lon: lon,
      })),
    ),
    reason: /^has no stop within \d+ km of the blocks/,
    isLost: false,
  }),
  async (tables) => ({
    archive: await zippedFeed(
      edited(tables, 'stop_times.txt', (row) => ({ ...row, stop_id: `x${row.stop_id}` })),
    ),
    reason: /stop_times\.txt/,
  }),
];
