import { readFile } from 'node:fs/promises';
import Papa from 'papaparse';
import { boxesMeet } from '../../shards/geometry/wgs84.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { unreadable } from '../inputs/fingerprint.ts';

/** A feed of the Mobility Database. */
export interface CatalogueFeed {
  readonly id: string;
  /** Name of the agency, and of the feed if the agency has several; '' if unknown. */
  readonly name: string;
  /** URLs that need no key, the best first. */
  readonly urls: readonly string[];
}

export interface FeedSelection {
  /** Available feeds, by ascending id. */
  readonly feeds: CatalogueFeed[];
  /** Feeds there that are left out, or may repeat another, each with the reason, as text. */
  readonly left: string[];
}

/** A row of `feeds_v2.csv`, or of the older `sources.csv`. */
type CatalogueRow = Readonly<Record<string, string | undefined>>;

const COLUMNS = ['data_type', 'status', 'urls.latest', 'urls.direct_download'] as const;
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
 * `boxes`. Entries with a common address are one feed. Other feeds there, and feeds without a box
 * in `states`, which are given by name, are reported. Throws a `BuildError` for a file that is not
 * a catalogue.
 */
export async function selectFeeds(
  path: string,
  boxes: readonly BoundingBox[],
  states: readonly string[],
): Promise<FeedSelection> {
  const left: string[] = [];
  const selected: SelectedFeed[] = [];
  for (const row of await readCatalogue(path)) {
    if (row.data_type !== 'gtfs' || RETIRED.has(statusOf(row))) continue;
    if (!COUNTRIES.has(row['location.country_code'] ?? '')) continue;
    const box = boxOf(row);
    const isRelevant = box
      ? boxes.some((wanted) => boxesMeet(box, wanted))
      : states.includes(row['location.subdivision_name'] ?? '');
    if (!isRelevant) continue;
    const feed = feedOf(row);
    const reason = whyNot(row, feed, box);
    if (reason !== null) left.push(`${labelOf(feed)}: ${reason}`);
    else selected.push({ ...feed, service: `${row.provider} ${JSON.stringify(box)}` });
  }
  selected.sort((a, b) => (a.id < b.id ? -1 : 1));
  const twice = selected.find(({ id }, i) => id === selected[i - 1]?.id);
  if (twice) throw new BuildError(`${path}: has feed ${twice.id} twice; check --mobility-url`);
  const feeds = mergeByAddress(selected, left);
  return { feeds: feeds.map(({ service, ...feed }) => feed), left };
}

interface SelectedFeed extends CatalogueFeed {
  /** Agency and box. */
  readonly service: string;
}

/**
 * Merges feeds that have an address in common into the first of them. Reports these, and feeds that
 * share only agency and box, which often hold the same service, in `left`.
 */
function mergeByAddress(selected: readonly SelectedFeed[], left: string[]): SelectedFeed[] {
  const feeds: SelectedFeed[] = [];
  for (const feed of selected) {
    const addresses = new Set(feed.urls.map(addressOf));
    const same = feeds.findIndex(({ urls }) => urls.some((url) => addresses.has(addressOf(url))));
    if (same !== -1) {
      const known = feeds[same];
      feeds[same] = { ...known, urls: [...new Set([...known.urls, ...feed.urls])] };
      left.push(`${labelOf(feed)}: is the feed at the address of ${labelOf(known)}, which is used`);
      continue;
    }
    const alike = feeds.find(({ service }) => service === feed.service);
    if (alike) {
      left.push(
        `${labelOf(feed)}: is of the agency and area of ${labelOf(alike)}; if both hold the same trips, give the build only one of them`,
      );
    }
    feeds.push(feed);
  }
  return feeds;
}

/** A URL without its scheme, by which it is compared. */
function addressOf(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/^https?:/, '') : url;
}

/** Name and id of a feed, for people. */
export function labelOf({ name, id }: CatalogueFeed): string {
  return name === '' ? id : `${name} (${id})`;
}

/** Reads the rows of a catalogue. Throws a `BuildError` for a file that is not a catalogue. */
export async function readCatalogue(path: string): Promise<CatalogueRow[]> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw unreadable(path, error);
  });
  const { data, meta } = Papa.parse<CatalogueRow>(text, { header: true, skipEmptyLines: true });
  const required = [...COLUMNS, ...boxColumns()];
  const missing = required.find((column) => !meta.fields?.includes(column));
  if (missing === undefined) return data;
  throw new BuildError(
    `${path}: is not the Mobility Database catalogue: it has no column ${missing}; check --mobility-url`,
  );
}

function feedOf(row: CatalogueRow): CatalogueFeed {
  // The older file numbers feeds; the newer one writes the same number as mdb-123. The id becomes a
  // file name, so characters other than letters, digits, `_` and `-` are replaced.
  const id = (row.id ?? `mdb-${row.mdb_source_id}`).replaceAll(/[^\w-]+/g, '-');
  const name = [row.provider, row.name].filter(Boolean).join(', ');
  // The database hosts a public copy, even of feeds for which the agency requires a key.
  const latest = row['urls.latest'];
  const direct = needsKey(row) ? undefined : row['urls.direct_download'];
  return {
    id,
    name,
    urls: [latest, direct].filter((url) => url !== undefined && url !== ''),
  } as CatalogueFeed;
}

function needsKey(row: CatalogueRow): boolean {
  return !NO_KEY.has(row['urls.authentication_type'] ?? '');
}

function statusOf(row: CatalogueRow): string {
  return (row.status ?? '').trim().toLowerCase();
}

/** The reason for which a feed cannot be used; null if it can. */
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
