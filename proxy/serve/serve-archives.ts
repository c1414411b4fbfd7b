import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { FairSemaphore } from '../../shards/concurrency/fair-semaphore.ts';
import { type CheckedObject, findChecked } from '../../shards/pmtiles/checked-pages.ts';
import type { CountyManifest, TileArchive } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Store } from '../../shards/store/store.ts';
import type { Millis } from '../../shards/units.ts';
import { CACHE_CONTROL } from '../http/caching.ts';
import { overloaded } from '../http/overload.ts';
import { Problem, truncate } from '../http/problem.ts';
import type { ProxyServices } from '../services.ts';
import { type SendOptions, sendObject } from './send-object.ts';

/** Route of public objects, which have the names in the release's manifest, as in a bucket. */
export const ARCHIVE_PATH = '/tiles/:archive';

/** Names of tile archives and of counties' public objects; the store is asked for no others. */
const ARCHIVE_NAME =
  /^(?:[a-z]{1,32}(?:-\d{1,10})?-[0-9a-f]{16}\.pmtiles|(?:block-bands|access-classes)-\d{5}-[0-9a-f]{16}\.bands)$/;
const OF_COUNTY = /^(?:block-bands|access-classes)-(\d{5})-/;

/** How long it is known that the store has an archive, or lacks it. */
const KNOWN_MS: Millis = 60_000;
/** Names about which that is known: those of a release of the whole country, or of a flood. */
const KNOWN_NAMES = 8_192;
/** Names looked for at once, so that a flood of unknown names is a trickle to the store. */
const LOOK_UPS = {
  maxConcurrent: 4,
  maxPerClient: 1,
  timeout: { ms: 10_000, error: overloaded },
};

const PUBLIC: SendOptions = { cacheControl: CACHE_CONTROL.immutable, isCounted: true };

/**
 * Serves tile archives and block bands by byte ranges, to anyone, as a public bucket does: those of
 * the release in force, and all others as long as they are in the store, since lists and maps of an
 * earlier release, or of one that this process has yet to open, name them. Every byte is checked
 * before it is sent.
 */
export function serveArchives(app: FastifyInstance, services: ProxyServices): void {
  const stored = new StoredArchives();
  const send = async (
    request: FastifyRequest<{ Params: { archive: string } }>,
    reply: FastifyReply,
  ) => {
    const release = services.releases.current;
    const { archive: name } = request.params;
    const checked =
      archiveOf(release, name) ?? (await stored.find(release.store, name, request.ip));
    if (checked === null) throw notFound(name);
    return sendObject(request, reply, services, release, checked, PUBLIC);
  };
  app.get(ARCHIVE_PATH, { exposeHeadRoute: false }, send);
  app.head(ARCHIVE_PATH, send);
}

/** Finds an archive of a release by the last part of its name in the store. */
function archiveOf(release: Release, name: string): CheckedObject | null {
  const fips = OF_COUNTY.exec(name)?.[1];
  const named =
    fips === undefined ? Object.values(release.manifest.tiles) : publicOf(release.county(fips));
  const found = named.find(({ archive }) => archive.name === `tiles/${name}`);
  return found ? { object: found.archive, sums: found.sums } : null;
}

function publicOf(county: CountyManifest | undefined): TileArchive[] {
  return [county?.block_bands ?? [], county?.access_classes ?? []].flat();
}

/** The archives in a store, whatever release they are of, looked for one by one. */
class StoredArchives {
  readonly #known: LRUCache<string, { readonly found: CheckedObject | null }, Store>;
  readonly #turns = new FairSemaphore(LOOK_UPS);

  constructor() {
    this.#known = new LRUCache({
      max: KNOWN_NAMES,
      ttl: KNOWN_MS,
      fetchMethod: async (name, _, { context }) => ({
        found: await findChecked(context, `tiles/${name}`),
      }),
    });
  }

  async find(store: Store, name: string, client: string): Promise<CheckedObject | null> {
    if (!ARCHIVE_NAME.test(name)) return null;
    const known =
      this.#known.get(name) ??
      (await this.#turns.run(client, () => this.#known.forceFetch(name, { context: store })));
    return known.found;
  }
}

function notFound(name: string): Problem {
  const list = OF_COUNTY.test(name) ? '/v1/meta/block-bands' : '/v1/meta/tiles';
  const detail = `no archive ${truncate(name)} in the store; GET ${list} lists those of the release in force`;
  return new Problem('archive-not-found', detail);
}
