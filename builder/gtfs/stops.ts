import type { Degrees } from '../../shards/units.ts';
import type { FeedReport } from './feed-report.ts';
import type { FeedSource } from './feed-source.ts';
import { FEED_LIMITS } from './limits.ts';
import { isTimeZone } from './service-time.ts';
import { type Row, readTable } from './table.ts';
import { codeOf, type WheelchairAccess, wheelchairAccessOf } from './values.ts';

/** GTFS `location_type`. */
export const LOCATION = { stop: 0, station: 1, entrance: 2, node: 3, boardingArea: 4 } as const;
const LOCATION_TYPES: ReadonlySet<number> = new Set(Object.values(LOCATION));

/**
 * GTFS `stop_access` of stops that are entered from the street; 0 is for entry through the station
 * alone.
 */
const DIRECT_ACCESS = '1';

export interface FeedStop {
  readonly id: string;
  readonly name: string;
  /** `NaN`, like `lat`, for a node or boarding area without coordinates. */
  readonly lon: Degrees;
  readonly lat: Degrees;
  readonly type: number;
  /** Id of the station that the stop belongs to, or ''. */
  readonly parent: string;
  /**
   * The time zone given for the stop, or null. A stop of a station is in the station's zone
   * instead.
   */
  readonly timeZone: string | null;
  /**
   * Whether the stop is entered from the street, whatever entrances and pathways its station has.
   */
  readonly isDirect: boolean;
  /** The statement on the stop itself; `wheelchairAt` adds that on its station. */
  readonly wheelchair: WheelchairAccess;
  /** Levels above the street, negative below it, from `levels.txt`; null if not given. */
  readonly level: number | null;
  /** The line of the stop in `stops.txt`. */
  readonly line: number;
}

/** Reads `stops.txt`, and the level of each stop from `levels.txt`. */
export async function readStops(
  source: FeedSource,
  report: FeedReport,
): Promise<Map<string, FeedStop>> {
  const levels = await readLevels(source, report);
  const stops = new Map<string, FeedStop>();
  const valid = new Map<string, boolean>();
  const zoneOf = (row: Row): string | null => {
    const zone = row.text('stop_timezone');
    const known = valid.get(zone) ?? isTimeZone(zone);
    valid.set(zone, known);
    if (zone !== '' && !known) {
      report.add('stops.txt', row.line, "no valid stop_timezone; the feed's is used");
    }
    return known ? zone : null;
  };
  await readTable(source, report, 'stops.txt', ['stop_id'], (row) => {
    const id = row.text('stop_id');
    const [lat, lon] = [row.number('stop_lat'), row.number('stop_lon')];
    const type = typeOf(row, report);
    const mayFloat = type === LOCATION.node || type === LOCATION.boardingArea;
    const isPlaced = lat !== null && lon !== null && Math.abs(lat) <= 90 && Math.abs(lon) <= 180;
    if (id === '' || (!isPlaced && !mayFloat) || (lat === 0 && lon === 0)) {
      return report.add('stops.txt', row.line, 'no id or no valid coordinates; left out');
    }
    const parent = row.text('parent_station');
    if (stops.has(id)) return report.add('stops.txt', row.line, 'duplicate stop_id; left out');
    stops.set(id, {
      id,
      name: row.text('stop_name') || id,
      lon: isPlaced ? lon : Number.NaN,
      lat: isPlaced ? lat : Number.NaN,
      type,
      parent,
      timeZone: zoneOf(row),
      isDirect: codeOf(row.text('stop_access')) === DIRECT_ACCESS,
      wheelchair: wheelchairAccessOf(row.text('wheelchair_boarding')),
      level: levels.get(row.text('level_id')) ?? null,
      line: row.line,
    });
  });
  for (const { parent, line } of stops.values()) {
    if (parent !== '' && !stops.has(parent)) {
      report.add('stops.txt', line, 'parent_station does not exist');
    }
  }
  return stops;
}

/** Returns the type of a location; that of an unknown type is a stop. */
function typeOf(row: Row, report: FeedReport): number {
  const type = row.number('location_type') ?? LOCATION.stop;
  if (LOCATION_TYPES.has(type)) return type;
  report.add('stops.txt', row.line, 'unknown location_type; taken as 0, a stop');
  return LOCATION.stop;
}

async function readLevels(source: FeedSource, report: FeedReport): Promise<Map<string, number>> {
  const levels = new Map<string, number>();
  await readTable(source, report, 'levels.txt', ['level_id', 'level_index'], (row) => {
    const [id, index] = [row.text('level_id'), row.number('level_index')];
    if (id === '' || index === null || !(Math.abs(index) <= FEED_LIMITS.level)) {
      return report.add('levels.txt', row.line, 'no id or no valid level_index; left out');
    }
    if (levels.has(id)) return report.add('levels.txt', row.line, 'duplicate level_id; left out');
    levels.set(id, index);
  });
  return levels;
}
