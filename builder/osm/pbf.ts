import { PbfReader } from 'pbf';
import { messageOf } from '../../shards/error-facts.ts';
import type { BoundingBox, EpochMillis } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { damaged, type PbfRange, readBlobs } from './blob-reader.ts';
import { decodeBlock, NANODEGREES, type PbfHandlers } from './primitive-block.ts';

/** The metadata of a file, and a summary of the elements read. */
export interface PbfSummary {
  /** The box in which the file claims to be complete; null if not stated. */
  readonly box: BoundingBox | null;
  /**
   * The timestamp of the newest element decoded, or the replication time of the header, whichever
   * is later.
   */
  readonly newestMs: EpochMillis;
}

const UNDERSTOOD = new Set(['OsmSchema-V0.6', 'DenseNodes']);

/**
 * Streams an OpenStreetMap PBF file, or a part of it, through handlers, in file order and in
 * bounded memory. See https://wiki.openstreetmap.org/wiki/PBF_Format. Throws a `BuildError` that
 * names the location if the file is absent, truncated, damaged or of another kind. If only nodes
 * are handled, a sorted file is abandoned at its first way.
 */
export async function readPbf(
  path: string,
  handlers: PbfHandlers,
  onBytes: (done: number) => void = () => {},
  range?: PbfRange,
): Promise<PbfSummary> {
  let header = range === undefined ? null : await headerOf(path);
  let newestMs = 0;
  for await (const { type, offset, bytes } of readBlobs(path, onBytes, range)) {
    try {
      if (type === 'OSMHeader') {
        header = readHeader(path, bytes);
        newestMs = Math.max(newestMs, header.replicationMs);
      } else if (type === 'OSMData') {
        const counts = decodeBlock(bytes, handlers);
        newestMs = Math.max(newestMs, counts.newestMs);
        const pastNodes = counts.ways > 0 || counts.relations > 0;
        if (pastNodes && header?.sorted && !handlers.way && !handlers.relation) break;
      }
    } catch (error) {
      if (error instanceof BuildError) throw error;
      throw new BuildError(damaged(path, offset, messageOf(error)));
    }
  }
  return { box: header?.box ?? null, newestMs };
}

/** The metadata in a file's header; `newestMs` is 0 if not stated. */
export async function headerOfPbf(path: string): Promise<PbfSummary> {
  const header = await headerOf(path);
  return { box: header?.box ?? null, newestMs: header?.replicationMs ?? 0 };
}

/**
 * Returns the date of a file's data: when the file was cut, according to its header, or else when
 * its newest way was edited; 0 if neither is known.
 */
export async function dateOfPbf(path: string): Promise<EpochMillis> {
  const { newestMs } = await headerOfPbf(path);
  return newestMs > 0 ? newestMs : (await readPbf(path, { way() {} })).newestMs;
}

interface Header {
  readonly box: BoundingBox | null;
  readonly sorted: boolean;
  readonly replicationMs: EpochMillis;
}

async function headerOf(path: string): Promise<Header | null> {
  for await (const { type, bytes } of readBlobs(path, () => {})) {
    if (type === 'OSMHeader') return readHeader(path, bytes);
  }
  return null;
}

function readHeader(path: string, bytes: Uint8Array): Header {
  const pbf = new PbfReader(bytes);
  let box: BoundingBox | null = null;
  let sorted = false;
  let replicationMs = 0;
  for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
    if (field === 1) box = readBox(new PbfReader(pbf.readBytes()));
    else if (field === 4) {
      const feature = pbf.readString();
      if (!UNDERSTOOD.has(feature)) {
        throw new BuildError(
          `${path}: requires the unsupported feature "${feature}"; a plain extract is needed`,
        );
      }
    } else if (field === 5) sorted ||= pbf.readString() === 'Sort.Type_then_ID';
    else if (field === 32) replicationMs = pbf.readVarint(true) * 1000;
  }
  return { box, sorted, replicationMs };
}

function readBox(pbf: PbfReader): BoundingBox {
  let [minLon, maxLon, maxLat, minLat] = [0, 0, 0, 0];
  for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
    if (field === 1) minLon = pbf.readSVarint() / NANODEGREES;
    else if (field === 2) maxLon = pbf.readSVarint() / NANODEGREES;
    else if (field === 3) maxLat = pbf.readSVarint() / NANODEGREES;
    else if (field === 4) minLat = pbf.readSVarint() / NANODEGREES;
  }
  return { minLon, minLat, maxLon, maxLat };
}
