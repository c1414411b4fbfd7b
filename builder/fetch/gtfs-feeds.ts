import { createHash } from 'node:crypto';
import path from 'node:path';
import type { LeftOutFeed } from '../../shards/release/manifest.ts';
import type { BoundingBox } from '../../shards/units.ts';
import { ZipInput } from '../inputs/zip.ts';
import { downloadAll, type FetchSession, requireAll } from './download-all.ts';
import type { InputList } from './fetch-folder.ts';
import { type CatalogueFeed, labelOf, selectFeeds, type UnusedFeed } from './gtfs-catalogue.ts';
import { gtfsCatalogue, gtfsFeed, type PublicServices } from './public-files.ts';

export interface ChosenFeeds {
  /** Those of the catalogue are in ascending order of id. */
  readonly feeds: readonly CatalogueFeed[];
  readonly unused: readonly UnusedFeed[];
  readonly remarks: readonly string[];
}

interface FetchedFeeds {
  readonly gtfs: InputList['gtfs'];
  readonly leftOut: InputList['gtfs_left_out'];
  /** Feeds that are left out or were not updated, each with the reason, and the like. */
  readonly remarks: readonly string[];
}

/**
 * Chooses the active feeds that the catalogue lists for `boxes`. `states` are the names of the
 * states that contain the boxes.
 */
export async function chooseCatalogueFeeds(
  services: PublicServices,
  boxes: readonly BoundingBox[],
  states: readonly string[],
  session: FetchSession,
): Promise<ChosenFeeds> {
  const [catalogue] = await requireAll('GTFS catalogue', [gtfsCatalogue(services)], session);
  return selectFeeds(catalogue, boxes, states);
}

export function feedsAt(urls: readonly string[]): ChosenFeeds {
  const feeds = [...new Set(urls)].map((url) => {
    return { id: fileNameOf(url), name: '', urls: [url], licence: null };
  });
  return { feeds, unused: [], remarks: [] };
}

/** Tries the URLs of each feed in turn. If all fail, an earlier download is better than no feed. */
export async function fetchFeeds(
  { feeds, unused, remarks }: ChosenFeeds,
  session: FetchSession,
): Promise<FetchedFeeds> {
  const { folder } = session;
  const reasons = new Map<CatalogueFeed, string>();
  let missing: readonly CatalogueFeed[] = feeds;
  for (let turn = 0; missing.length > 0; turn++) {
    const asked = missing.filter(({ urls }) => urls.length > turn);
    const files = asked.map(({ id, urls }) => gtfsFeed(urls[turn], id));
    const errors = await downloadAll('GTFS feeds', files, session);
    for (const [i, error] of errors.entries()) {
      if (error) reasons.set(asked[i], error.message);
      else reasons.delete(asked[i]);
    }
    missing = asked.filter((_, i) => errors[i] !== null);
  }
  const known = new Map<string, { feed: CatalogueFeed; input: InputList['gtfs'][number] }>();
  const gtfs: InputList['gtfs'][number][] = [];
  const leftOut = unused.map((one) => leftOutFeed(one, false));
  const said = [...remarks, ...unused.map(({ feed, reason }) => `${labelOf(feed)}: ${reason}`)];
  for (const feed of feeds) {
    const { file } = gtfsFeed(feed.urls[0], feed.id);
    const reason = reasons.get(feed);
    const before = reason === undefined ? null : await folder.source(file);
    if (reason !== undefined) {
      const instead = before === null ? '' : `; using the copy of ${before.fetched_at} instead`;
      const name = feed.name === '' ? '' : `${feed.name}: `;
      said.push(`${name}${reason}${instead}`);
      if (before === null) {
        leftOut.push(leftOutFeed({ feed, reason }, true));
        continue;
      }
    }
    const stored = folder.path(file);
    const tables = await tablesOf(stored);
    const same = known.get(tables);
    if (same === undefined) {
      const input = { file, publisher: feed.name, licence: feed.licence };
      known.set(tables, { feed, input });
      gtfs.push(input);
      continue;
    }
    // Only one entry of the catalogue may state the licence.
    same.input.licence ??= feed.licence;
    const twin = { feed, reason: `has the tables of ${labelOf(same.feed)}, which is used` };
    leftOut.push(leftOutFeed(twin, false));
    said.push(`${labelOf(feed)}: ${twin.reason}`);
  }
  return { gtfs, leftOut, remarks: said };
}

function leftOutFeed({ feed: { id, name }, reason }: UnusedFeed, isLost: boolean): LeftOutFeed {
  const file = path.posix.basename(gtfsFeed('', id).file);
  const unread = { sha256: null, trips: null };
  return { file, ...unread, publisher: name || null, reason, is_lost: isLost };
}

/** Names, sizes and CRC-32 of a feed's files, which do not change if they are zipped anew. */
async function tablesOf(feed: string): Promise<string> {
  const zip = await ZipInput.open(feed, ['.txt']);
  zip.close();
  const files = zip.names.filter((name) => !name.endsWith('/'));
  const tables = files.map((name) => [path.posix.basename(name), zip.checksumOf(name)].join());
  return tables.sort().join('\n');
}

/** A file name that is derived from the URL, and differs for different URLs. */
function fileNameOf(url: string): string {
  const { host, pathname } = new URL(url);
  const words = `${host}${pathname}`.replace(/\.zip$/i, '').toLowerCase();
  const name = words.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  return `${name}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}`;
}
