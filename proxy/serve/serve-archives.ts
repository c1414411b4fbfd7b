import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CACHE_CONTROL } from '../../portal/http/caching.ts';
import { Problem, truncate } from '../../portal/http/problem.ts';
import type { TileArchive } from '../../shards/release/manifest.ts';
import type { Release } from '../../shards/release/release.ts';
import type { ProxyServices } from '../services.ts';
import { type SendOptions, sendObject } from './send-object.ts';

/** Route of public objects, which have the names in the release's manifest, as in a bucket. */
export const ARCHIVE_PATH = '/tiles/:archive';

/** The name of a county's block bands. */
const BLOCK_BANDS = /^block-bands-(\d{5})-/;

const PUBLIC: SendOptions = { cacheControl: CACHE_CONTROL.immutable, isCounted: true };

/**
 * Serves the tile archives and block bands of the release in force by byte ranges, to anyone, as a
 * public bucket does. For any other name, nothing is read. Every byte is checked before it is sent.
 */
export function serveArchives(app: FastifyInstance, services: ProxyServices): void {
  const send = (request: FastifyRequest<{ Params: { archive: string } }>, reply: FastifyReply) => {
    const release = services.releases.current;
    const { archive, sums } = archiveNamed(release, request.params.archive);
    return sendObject(request, reply, services, release, { object: archive, sums }, PUBLIC);
  };
  app.get(ARCHIVE_PATH, { exposeHeadRoute: false }, send);
  app.head(ARCHIVE_PATH, send);
}

/** Finds an archive by the last part of its name in the store. */
function archiveNamed(release: Release, name: string): TileArchive {
  const fips = BLOCK_BANDS.exec(name)?.[1];
  const named =
    fips === undefined
      ? Object.values(release.manifest.tiles)
      : [release.county(fips)?.block_bands ?? []].flat();
  const found = named.find(({ archive }) => archive.name === `tiles/${name}`);
  if (found !== undefined) return found;
  const list = fips === undefined ? '/v1/meta/tiles' : '/v1/meta/block-bands';
  const detail = `no archive ${truncate(name)} in the release in force; GET ${list} lists those there are`;
  throw new Problem('archive-not-found', detail);
}
