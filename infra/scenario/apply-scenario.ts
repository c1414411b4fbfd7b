import { mkdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { FeedContainer } from '../../builder/gtfs/feed-source.ts';
import type { ServiceDay } from '../../builder/gtfs/service-time.ts';
import { writeFileWhole } from '../../builder/inputs/whole-file.ts';
import { writeZip } from '../../builder/inputs/zip-writer.ts';
import { groupBy } from '../../shards/arrays/group-by.ts';
import { messageOf, systemCode } from '../../shards/error-facts.ts';
import { counted } from '../../shards/number-words.ts';
import { UsageError } from '../errors.ts';
import { adjustHeadway } from './adjust-headway.ts';
import { adjustSpan } from './adjust-span.ts';
import { adjustSpeed } from './adjust-speed.ts';
import { addRoute, removeRoute } from './change-routes.ts';
import { addStop, moveStop, unusedStops } from './change-stops.ts';
import { endOf, FeedDraft, isTimed, type Route, startOf, type Trip } from './feed-draft.ts';
import { differences, servicesOf } from './line-report.ts';
import { RawTable } from './raw-table.ts';
import { reroute } from './reroute.ts';
import {
  type Change,
  ChangeError,
  readScenario,
  type Scenario,
  ScenarioError,
} from './scenario-file.ts';
import { findRoute } from './select-trips.ts';

interface ScenarioRequest {
  /** The scenario, a YAML file. */
  readonly scenario: string;
  /** The feed to change: a zip archive or a folder. */
  readonly gtfs: string;
  /** The changed feed, a zip archive if it ends in `.zip`, otherwise a folder; null: none. */
  readonly out: string | null;
}

/** A change and its place, with the lines that describe its effect. */
interface ChangeResult {
  readonly place: string;
  readonly change: Change['change'];
  readonly did: readonly string[];
}

interface ScenarioResult {
  readonly name: string;
  readonly changes: readonly ChangeResult[];
  /** Lines on the effects of all changes together. */
  readonly notes: readonly string[];
}

/**
 * Writes a feed as it would be by a scenario. Records and files that it does not change keep their
 * bytes. Throws a `ScenarioError` with the problems of the scenario by its lines; then nothing is
 * written.
 */
export async function applyScenario({
  scenario,
  gtfs,
  out,
}: ScenarioRequest): Promise<ScenarioResult> {
  const read = await readScenario(scenario);
  if (out !== null) await refuseOverwriting(gtfs, out);
  const draft = await FeedDraft.open(gtfs, {
    routes: (routes) => routesOf(read.changes, routes),
    shapes: read.changes.some(
      ({ change, ...rest }) =>
        change === 'reroute' ||
        (change === 'adjust-speed' && ('from_stop' in rest || 'to_stop' in rest)),
    ),
  });
  try {
    const twiceBefore = runTwice(draft);
    const changes = applyAll(draft, scenario, read);
    const added = read.changes.flatMap((change) =>
      change.change === 'add-stop' ? [change.stop] : [],
    );
    const notes = [...unusedStops(draft, added), ...keepBlocks(draft, twiceBefore)];
    draft.finish();
    const others = await referringTables(draft);
    notes.push(...others.flatMap(({ note }) => note));
    if (out !== null) {
      const { routes, stops, trips, stopTimes, frequencies } = draft.tables;
      const tables = [
        routes,
        stops,
        trips,
        stopTimes,
        frequencies,
        ...others.map(({ table }) => table),
      ];
      await writeFeed(
        draft.feed,
        out,
        tables.filter((table) => table !== null),
      );
    }
    return { name: read.name, changes, notes };
  } finally {
    draft.feed.close();
  }
}

async function refuseOverwriting(gtfs: string, out: string): Promise<void> {
  if (path.resolve(gtfs) === path.resolve(out)) {
    throw new UsageError(`${out}: is the feed itself; give --out another name`);
  }
  const there = await stat(out).catch(() => null);
  if (there?.isDirectory()) {
    throw new UsageError(`${out}: is a folder that exists; give --out a new name`);
  }
}

/** The routes that changes name, as far as the feed has them. */
function routesOf(
  changes: readonly Change[],
  routes: ReadonlyMap<string, Route>,
): ReadonlySet<string> {
  const names = changes.flatMap((change) =>
    'route' in change && change.change !== 'add-route' ? change.route : [],
  );
  const ids = names.flatMap((name) => {
    try {
      return [findRoute(routes, name).id];
    } catch (error) {
      // The change that names it says so.
      if (error instanceof ChangeError) return [];
      throw error;
    }
  });
  return new Set(ids);
}

/** Makes the changes in their order; throws a `ScenarioError` with the problems of all. */
function applyAll(draft: FeedDraft, file: string, { changes, placeOf }: Scenario): ChangeResult[] {
  const problems: string[] = [];
  const results = changes.flatMap((change, i): ChangeResult[] => {
    const before = servicesOf(draft, draft.trips);
    try {
      const did = apply(draft, change);
      const place = placeOf(i);
      return [
        {
          place,
          change: change.change,
          did: [...did, ...differences(before, servicesOf(draft, draft.trips))],
        },
      ];
    } catch (error) {
      if (!(error instanceof ChangeError)) throw error;
      const member = error.path.findLast((part) => typeof part === 'string');
      problems.push(
        `${placeOf(i, error.path)}: ${change.change}: ${member === undefined ? '' : `${member}: `}${error.message}`,
      );
      return [];
    }
  });
  if (problems.length > 0) throw new ScenarioError(file, problems);
  return results;
}

function apply(draft: FeedDraft, change: Change): string[] {
  switch (change.change) {
    case 'remove-route':
      return removeRoute(draft, change);
    case 'add-route':
      return addRoute(draft, change);
    case 'reroute':
      return reroute(draft, change);
    case 'adjust-headway':
      return adjustHeadway(draft, change);
    case 'adjust-span':
      return adjustSpan(draft, change);
    case 'adjust-speed':
      return adjustSpeed(draft, change);
    case 'move-stop':
      return moveStop(draft, change);
    case 'add-stop':
      return addStop(draft, change);
  }
}

/** Finds the trips that would have one vehicle run two trips at once, by their blocks. */
function runTwice(draft: FeedDraft): ReadonlyMap<string, ReadonlySet<Trip>> {
  const { trips: table } = draft.tables;
  const blockOf = ({ record }: Trip) => table.get(record, 'block_id');
  const trips = [...draft.trips].filter((trip) => isTimed(trip) && blockOf(trip) !== '');
  const twice = new Map<string, ReadonlySet<Trip>>();
  for (const [block, ofBlock] of groupBy(trips, blockOf)) {
    const found = new Set<Trip>();
    // By day, the trip before and the one that ends last.
    const running = new Map<ServiceDay, { before: Trip; last: Trip }>();
    for (const trip of ofBlock.toSorted((a, b) => startOf(a) - startOf(b))) {
      for (const day of draft.daysOf(trip.service)) {
        const known = running.get(day);
        if (!known) {
          running.set(day, { before: trip, last: trip });
          continue;
        }
        if (startOf(trip) < endOf(known.before)) found.add(known.before).add(trip);
        if (startOf(trip) < endOf(known.last)) found.add(known.last).add(trip);
        known.before = trip;
        if (endOf(trip) > endOf(known.last)) known.last = trip;
      }
    }
    if (found.size > 0) twice.set(block, found);
  }
  return twice;
}

/**
 * Takes trips whose times have changed out of blocks in which a vehicle would now be in two places
 * at once, unless it was before. Returns a line if there are any.
 */
function keepBlocks(draft: FeedDraft, before: ReadonlyMap<string, unknown>): string[] {
  const { trips: table } = draft.tables;
  const late = [...runTwice(draft)]
    .filter(([block]) => !before.has(block))
    .flatMap(([, trips]) => [...trips].filter(({ isRetimed }) => isRetimed));
  for (const { record } of late) table.set(record, 'block_id', '');
  return late.length === 0
    ? []
    : [
        `${counted(late.length, 'trip')} with other times left their block (block_id), in which one vehicle would now run two trips at once; riders cannot stay seated there`,
      ];
}

/** Columns of other tables that refer to trips and routes, by table. */
const REFERRING: Readonly<
  Record<string, { readonly trips: readonly string[]; readonly routes: readonly string[] }>
> = {
  'transfers.txt': {
    trips: ['from_trip_id', 'to_trip_id'],
    routes: ['from_route_id', 'to_route_id'],
  },
  'attributions.txt': { trips: ['trip_id'], routes: ['route_id'] },
  'fare_rules.txt': { trips: [], routes: ['route_id'] },
  'route_networks.txt': { trips: [], routes: ['route_id'] },
};
const TRANSLATIONS = 'translations.txt';

/** Drops the records of other tables that refer to trips and routes that are no more. */
async function referringTables({ feed, removedTrips, removedRoutes }: FeedDraft) {
  const changed: { table: RawTable; note: string[] }[] = [];
  if (removedTrips.size === 0 && removedRoutes.size === 0) return changed;
  /** By the names of tables in `translations.txt`. */
  const translated = new Map<string, ReadonlySet<string>>([
    ['trips', removedTrips],
    ['stop_times', removedTrips],
    ['routes', removedRoutes],
  ]);
  for (const file of [...Object.keys(REFERRING), TRANSLATIONS]) {
    let dropped = 0;
    const table = await RawTable.read(feed, file, (table, record) => {
      const { trips, routes } = REFERRING[file] ?? { trips: [], routes: [] };
      const names = (columns: readonly string[], removed: ReadonlySet<string>) =>
        columns.some((column) => removed.has(table.get(record, column)));
      const isTranslation =
        file === TRANSLATIONS &&
        translated.get(table.get(record, 'table_name'))?.has(table.get(record, 'record_id'));
      if (!names(trips, removedTrips) && !names(routes, removedRoutes) && !isTranslation) return;
      dropped++;
      table.drop(record);
    });
    if (table && dropped > 0) {
      changed.push({
        table,
        note: [`${file}: ${counted(dropped, 'row')} about removed trips and routes left out`],
      });
    }
  }
  return changed;
}

/** Writes a feed with some tables changed, and all other files as they are. */
async function writeFeed(
  feed: FeedContainer,
  out: string,
  tables: readonly RawTable[],
): Promise<void> {
  const changed = new Map(
    tables.filter(({ isChanged }) => isChanged).map((table) => [table.name, table]),
  );
  const parts = feed.names.map(
    (name): FilePart => ({
      name,
      chunks: () => changed.get(name)?.bytes(feed) ?? feed.streamOf(name),
    }),
  );
  const isZip = out.toLowerCase().endsWith('.zip');
  if (!isZip) refuseNames(feed);
  try {
    await mkdir(path.dirname(out), { recursive: true });
    if (isZip) return await writeZip(out, parts);
    await writeFolder(out, parts);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw new UsageError(`${out}: cannot be written (${messageOf(error)}); check --out`);
  }
}

interface FilePart {
  readonly name: string;
  chunks(): AsyncIterable<Uint8Array>;
}

/** Writes a folder that gets its name only once complete, see `writeFileWhole`. */
async function writeFolder(folder: string, parts: readonly FilePart[]): Promise<void> {
  const unfinished = `${path.resolve(folder)}.part`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    await mkdir(unfinished);
    for (const { name, chunks } of parts) await writeFileWhole(path.join(unfinished, name), chunks);
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** Bytes of a name in usual file systems, with room for the ending of an unfinished file. */
const LONGEST_NAME = 250;

/** An archive may have names that cannot be those of files in a folder. */
function refuseNames({ path: archive, names }: FeedContainer): void {
  const known = new Set(names);
  for (const name of names) {
    const parts = name.split('/');
    const within = parts.map((_, i) => parts.slice(0, i).join('/')).find((one) => known.has(one));
    const isLong = parts.some((part) => Buffer.byteLength(part) > LONGEST_NAME);
    if (within === undefined && !isLong) continue;
    const problem = isLong
      ? `has a file with a name of ${name.length} characters, ${name.slice(0, 40)}…`
      : `has ${within} as a file, and as a folder with ${name}`;
    throw new UsageError(`${archive}: ${problem}; give --out a name that ends in .zip`);
  }
}
