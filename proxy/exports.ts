import { LRUCache } from 'lru-cache';
import { listSealSteps } from '../shards/codec/json-object.ts';
import { Turns } from '../shards/concurrency/turns.ts';
import { EXPORT_FORMATS, type ExportedTable } from '../shards/release/exported-table.ts';
import { MANIFESTS } from '../shards/release/manifests.ts';
import {
  EXPORTS,
  readServedExports,
  type ServedExport,
  type ServedExports,
} from '../shards/release/served-exports.ts';
import type { Store } from '../shards/store/store.ts';
import type { Bytes, Millis } from '../shards/units.ts';
import { PLANS } from './plans.ts';

/** Lifetime of a cached list; tables may be exported while their release is in force. */
const KEPT_MS: Millis = 60_000;
/** Minimum age of a list that is read again for a file that it lacks. */
const READ_AGAIN_MS: Millis = 1_000;
/** Releases whose lists are kept, since links to earlier exports work until they expire. */
const KEPT_RELEASES = 8;

/** Prices by table; a table without a price is not offered. */
export const EXPORT_PRICES: ReadonlyMap<string, number> = new Map(
  Object.entries(PLANS.charges.exports),
);

export interface ExportOffer extends ExportedTable {
  readonly bytes: Bytes;
  readonly sha256: string;
  readonly price_tokens: number;
}

export interface ExportList {
  readonly files: readonly ServedExport[];
  /** `files` and the files that they replaced, by the names of their objects. */
  readonly byObject: ReadonlyMap<string, ServedExport>;
  /** Files that have a price, ordered by table, county and format. */
  readonly offers: readonly ExportOffer[];
  /** Sort key of each offer in that order, independent of what else is listed. */
  readonly positions: readonly number[];
  readonly seal: string;
}

export class ExportLists {
  readonly #lists: LRUCache<string, ExportList, Store>;

  constructor() {
    this.#lists = new LRUCache({
      max: KEPT_RELEASES,
      ttl: KEPT_MS,
      fetchMethod: async (manifest, _, { context }) =>
        listOf(await readServedExports(context, manifest)),
    });
  }

  async of(store: Store, manifest: string): Promise<ExportList> {
    return this.#lists.forceFetch(manifest, { context: store });
  }

  /**
   * Returns the file that `find` selects from the exports of a manifest. If it selects none, the
   * list is read again, at most once a second, since the file may have been exported in the
   * meantime and offered by another process.
   */
  async find(
    store: Store,
    manifest: string,
    find: (list: ExportList) => ServedExport | undefined,
  ): Promise<ServedExport | undefined> {
    const found = find(await this.of(store, manifest));
    const ageMs = KEPT_MS - this.#lists.getRemainingTTL(manifest);
    if (found || ageMs < READ_AGAIN_MS) return found;
    return find(await this.#lists.forceFetch(manifest, { context: store, forceRefresh: true }));
  }
}

async function listOf({ exports: files, superseded }: ServedExports): Promise<ExportList> {
  const offers = files.flatMap(({ table, county, format, rows, object: { bytes, sha256 } }) => {
    const price_tokens = EXPORT_PRICES.get(table);
    if (price_tokens === undefined) return [];
    return { table, county, format, bytes, rows, sha256, price_tokens };
  });
  const seal = await Turns.SHARED.run(listSealSteps(offers));
  const byObject = new Map([...superseded, ...files].map((one) => [one.object.name, one]));
  return { files, byObject, offers, positions: offers.map(positionOf), seal };
}

const TABLES = [...EXPORT_PRICES.keys()].sort();
const FORMATS = [...EXPORT_FORMATS].sort();
const COUNTIES = 100_000;

function positionOf({ table, county, format }: ExportOffer): number {
  const file = TABLES.indexOf(table) * COUNTIES + Number(county ?? 0);
  return file * FORMATS.length + FORMATS.indexOf(format);
}

export const EXPORT_ROUTE = '/exports/:manifestStem/:file';

export interface ExportAddress {
  /** The name of the manifest without folder and extension. */
  readonly manifestStem: string;
  /** The name of the object without its folder. */
  readonly file: string;
}

export function exportPath({ manifestStem, file }: ExportAddress): string {
  return `/exports/${manifestStem}/${file}`;
}

const EXTENSION = '.json';

export function addressOf(manifest: string, object: string): ExportAddress {
  return {
    manifestStem: manifest.slice(MANIFESTS.length, -EXTENSION.length),
    file: object.slice(EXPORTS.length),
  };
}

export function namesOf({ manifestStem, file }: ExportAddress) {
  return { manifest: `${MANIFESTS}${manifestStem}${EXTENSION}`, object: `${EXPORTS}${file}` };
}
