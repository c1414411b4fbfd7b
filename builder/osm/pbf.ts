import { PbfReader } from 'pbf';
import type { BoundingBox, Bytes, EpochMillis } from '../../shards/units.ts';
import { BuildError } from '../errors.ts';
import { sizeOf } from '../inputs/fingerprint.ts';
import { blockError, readBlobs } from './blob-reader.ts';
import { decodeBlock, NANODEGREES, type PbfHandlers } from './primitive-block.ts';

/** The metadata of a file, and a summary of the elements read. */
interface PbfSummary {
  /** The box in which the file claims to be complete; null if not stated. */
  readonly box: BoundingBox | null;
  /**
   * The timestamp of the newest element decoded, or the replication time of the header, whichever
   * is later.
   */
  readonly newestMs: EpochMillis;
}

/** The feature of files whose ways have the locations of their nodes. */
const LOCATIONS = 'LocationsOnWays';
const UNDERSTOOD = new Set(['OsmSchema-V0.6', 'DenseNodes', LOCATIONS]);
/** Programs that make a plain extract of a file that requires a feature. */
const REMEDIES = new Map([
  ['HistoricalInformation', 'osmium time-filter makes one of a file with history'],
]);

/**
 * Streams an OpenStreetMap PBF file through handlers, in file order and in bounded memory. See
 * https://wiki.openstreetmap.org/wiki/PBF_Format. Throws a `BuildError` that names the location if
 * the file is absent, truncated, damaged or of another kind. If only nodes are handled, a sorted
 * file is abandoned at its first way, unless its ways have locations.
 */
export async function readPbf(
  path: string,
  handlers: PbfHandlers,
  onBytes: (done: number) => void = () => {},
): Promise<PbfSummary> {
  let header: Header | null = null;
  let newestMs = 0;
  for await (const { type, offset, bytes } of readBlobs(path, onBytes)) {
    try {
      if (type === 'OSMHeader') {
        header = readHeader(path, bytes);
        newestMs = Math.max(newestMs, header.replicationMs);
      } else if (type === 'OSMData') {
        const used = header?.hasLocations ? handlers : { ...handlers, location: undefined };
        const counts = decodeBlock(bytes, used);
        newestMs = Math.max(newestMs, counts.newestMs);
        const pastNodes = counts.ways > 0 || counts.relations > 0;
        const isOfNodes = !used.way && !used.location && !used.relation;
        if (pastNodes && header?.sorted && isOfNodes) break;
      }
    } catch (error) {
      throw blockError(path, offset, error);
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
  /** Whether ways have the locations of their nodes, and untagged nodes may be absent. */
  readonly hasLocations: boolean;
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
  let hasLocations = false;
  let replicationMs = 0;
  for (let field = pbf.nextField(); field !== 0; field = pbf.nextField()) {
    if (field === 1) box = readBox(new PbfReader(pbf.readBytes()));
    else if (field === 4 || field === 5) {
      const feature = pbf.readString();
      if (field === 4 && !UNDERSTOOD.has(feature)) {
        const remedy = REMEDIES.get(feature);
        throw new BuildError(
          `${path}: requires the unsupported feature "${feature}"; a plain extract is needed${remedy ? ` (${remedy})` : ''}`,
        );
      }
      sorted ||= feature === 'Sort.Type_then_ID';
      hasLocations ||= feature === LOCATIONS;
    } else if (field === 32) replicationMs = pbf.readVarint(true) * 1000;
  }
  return { box, sorted, hasLocations, replicationMs };
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

/**
 * Makes one pass over a PBF file. `onRead` receives numbers of bytes that add up to the size of the
 * file.
 */
export async function readPass(
  path: string,
  handlers: PbfHandlers,
  onRead: (bytes: Bytes) => void,
): Promise<PbfSummary> {
  let before = 0;
  const onBytes = (done: Bytes) => {
    onRead(done - before);
    before = done;
  };
  const seen = await readPbf(path, handlers, onBytes);
  // When only nodes are read, a sorted file is abandoned at its first way.
  onRead((await sizeOf(path)) - before);
  return seen;
}
