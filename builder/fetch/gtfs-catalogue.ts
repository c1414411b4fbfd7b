import { createReadStream } from 'node:fs';
import type { CsvFault } from '../../shards/csv/csv-reader.ts';
import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import { counted } from '../../shards/number-words.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { csvRecords } from '../inputs/csv.ts';

/** A feed of the Mobility Database. */
export interface CatalogueFeed {
  readonly id: string;
  /** Name of the agency, and of the feed if the agency has several; '' if unknown. */
  readonly name: string;
  /** URLs that need no key, the best first. */
  readonly urls: readonly string[];
  /** The licence that the catalogue states, as a rule by its URL; null if it states none. */
  readonly licence: string | null;
}

export interface UnusedFeed {
  readonly feed: CatalogueFeed;
  readonly reason: string;
}

interface FeedSelection {
  /** Available feeds, by ascending id. */
  readonly feeds: CatalogueFeed[];
  readonly unused: UnusedFeed[];
  /** Rows that cannot be read. */
  readonly remarks: string[];
}

/** A row of `feeds_v2.csv`, or of the older `sources.csv`. */
type CatalogueRow = Readonly<Record<string, string | undefined>>;

/** Limits that no real catalogue exceeds. */
const LIMITS = { lines: 1_000_000, recordLength: 1 << 16 };

const COLUMNS = ['data_type', 'status', 'urls.latest', 'urls.direct_download'] as const;
/** The id of a feed, in the newer and in the older file. */
const IDS = ['id', 'mdb_source_id'] as const;
const LICENCE = 'urls.license';
const BOX = 'location.bounding_box';
const ACTIVE: ReadonlySet<string> = new Set(['', 'active']);
/** Statuses of feeds that others have replaced, or that have no more service: left out silently. */
const RETIRED: ReadonlySet<string> = new Set(['deprecated', 'inactive']);
/**
 * Countries of the feeds that are selected. Boxes of other feeds that reach into the United States
 * are errors in the catalogue.
 */
const COUNTRIES: ReadonlySet<string> = new Set(['', 'US', 'PR', 'CA', 'MX']);
const NO_KEY: ReadonlySet<string> = new Set(['', '0']);

/**
 * Selects the active GTFS feeds in the catalogue of the Mobility Database whose box meets one of
 * `boxes`. Entries with a common id or address are one feed. Other feeds there, and feeds without a
 * box in `states`, which are given by name, are reported. Throws a `BuildError` for a file that is
 * not a catalogue.
 */
export async function selectFeeds(
  path: string,
  boxes: readonly BoundingBox[],
  states: readonly string[],
): Promise<FeedSelection> {
  const { rows, faults } = await readCatalogue(path);
  const remarks: string[] = [];
  if (faults.length > 0) {
    const [{ line, fault }] = faults;
    remarks.push(
      `${path}: ${counted(faults.length, 'row')} cannot be read, first line ${line}: ${fault}`,
    );
  }
  if (rows.length > 0 && !(LICENCE in rows[0])) {
    remarks.push(`${path}: has no column ${LICENCE}, so no licence of its feeds is known`);
  }
  const unused: UnusedFeed[] = [];
  const selected: CatalogueFeed[] = [];
  for (const row of rows) {
    if (row.data_type !== 'gtfs' || RETIRED.has(statusOf(row))) continue;
    if (!COUNTRIES.has(row['location.country_code'] ?? '')) continue;
    const box = boxOf(row);
    const isRelevant = box
      ? boxes.some((wanted) => boxesMeet(box, wanted))
      : states.includes(row['location.subdivision_name'] ?? '');
    if (!isRelevant) continue;
    const feed = feedOf(row);
    const reason = whyNot(row, feed, box);
    if (reason !== null) unused.push({ feed, reason });
    else selected.push(feed);
  }
  if (selected.length === 0) {
    remarks.push(
      `${path}: has no feed that can be used here, so a build has no transit; give the URL of one with --gtfs`,
    );
  }
  selected.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return { feeds: mergeByAddress(firstById(selected, unused), unused), unused, remarks };
}

/** The first of the feeds of each id, which names its file; the others are unused. */
function firstById(selected: readonly CatalogueFeed[], unused: UnusedFeed[]): CatalogueFeed[] {
  const feeds = new Map<string, CatalogueFeed>();
  for (const [i, feed] of selected.entries()) {
    const known = feeds.get(feed.id);
    const reason = known && `has the id of ${labelOf(known)}, which is used`;
    if (reason) unused.push({ feed: { ...feed, id: `${feed.id}-${i + 1}` }, reason });
    else feeds.set(feed.id, feed);
  }
  return [...feeds.values()];
}

/** Merges feeds that have an address in common into the first of them; the others are unused. */
function mergeByAddress(selected: readonly CatalogueFeed[], unused: UnusedFeed[]): CatalogueFeed[] {
  const feeds: CatalogueFeed[] = [];
  for (const feed of selected) {
    const addresses = new Set(feed.urls.map(addressOf));
    const same = feeds.findIndex(({ urls }) => urls.some((url) => addresses.has(addressOf(url))));
    if (same === -1) {
      feeds.push(feed);
      continue;
    }
    const known = feeds[same];
    const urls = [...new Set([...known.urls, ...feed.urls])];
    feeds[same] = { ...known, urls, licence: known.licence ?? feed.licence };
    const reason = `is the feed at the address of ${labelOf(known)}, which is used`;
    unused.push({ feed, reason });
  }
  return feeds;
}

/** A URL without its scheme, by which it is compared. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/^https?:/, '') : url;
}

export function labelOf({ name, id }: CatalogueFeed): string {
  return name === '' ? id : `${name} (${id})`;
}

interface Catalogue {
  readonly rows: CatalogueRow[];
  readonly faults: CsvFault[];
}

export async function readCatalogue(path: string): Promise<Catalogue> {
  let header: readonly string[] = [];
  const rows: CatalogueRow[] = [];
  const faults: CsvFault[] = [];
  for await (const records of csvRecords(createReadStream(path), path, LIMITS, () => {})) {
    for (const record of records) {
      const { cells } = record;
      if ('fault' in record && cells === null) faults.push(record);
      if (cells === null) continue;
      if (header.length === 0) header = cells.map((name) => name.trim());
      else rows.push(Object.fromEntries(header.map((column, at) => [column, cells[at]])));
    }
  }
  const id = IDS.find((one) => header.includes(one)) ?? IDS[0];
  const required = [...COLUMNS, id, ...boxColumns()];
  const missing = required.find((column) => !header.includes(column));
  if (missing === undefined) return { rows, faults };
  throw new BuildError(
    `${path}: is not the Mobility Database catalogue: it has no column ${missing}; check --mobility-url`,
  );
}

function feedOf(row: CatalogueRow): CatalogueFeed {
  // The older file numbers feeds; the newer one writes the same number as mdb-123. The id becomes a
  // file name, so characters other than letters, digits, `_` and `-` are replaced.
  const id = (row.id || `mdb-${row.mdb_source_id || 'unnumbered'}`).replaceAll(/[^\w-]+/g, '-');
  const name = [row.provider, row.name].filter(Boolean).join(', ');
  // The database hosts a public copy, even of feeds for which the agency requires a key.
  const latest = row['urls.latest'];
  const direct = needsKey(row) ? undefined : row['urls.direct_download'];
  return {
    id,
    name,
    urls: [latest, direct].filter((url) => url !== undefined && url !== ''),
    licence: row[LICENCE]?.trim() || null,
  } as CatalogueFeed;
}

function needsKey(row: CatalogueRow): boolean {
  return !NO_KEY.has(row['urls.authentication_type'] ?? '');
}

function statusOf(row: CatalogueRow): string {
  return (row.status ?? '').trim().toLowerCase();
}

function whyNot(
  row: CatalogueRow,
  { urls }: CatalogueFeed,
  box: BoundingBox | null,
): string | null {
  const status = statusOf(row);
  if (!ACTIVE.has(status)) {
    return `the catalogue lists it as ${status}; to use it, give its URL with --gtfs`;
  }
  if (box === null) {
    return 'the catalogue does not state its service area; to use it, give its URL with --gtfs';
  }
  if (urls.length > 0) return null;
  if (!needsKey(row)) return 'the catalogue has no URL for it';
  const about = row['urls.authentication_info'];
  return `needs a key${about ? `, see ${about}` : ''}; once you have one, give its URL with --gtfs`;
}

function boxColumns(): string[] {
  return ['minimum', 'maximum'].flatMap((end) =>
    ['longitude', 'latitude'].map((axis) => `${BOX}.${end}_${axis}`),
  );
}

function boxOf(row: CatalogueRow): BoundingBox | null {
  const values = boxColumns().map((column) => row[column]?.trim() ?? '');
  if (values.includes('')) return null;
  const [minLon, minLat, maxLon, maxLat] = values.map(Number);
  // NaN fails every comparison.
  return minLon <= maxLon && minLat <= maxLat ? { minLon, minLat, maxLon, maxLat } : null;
}
