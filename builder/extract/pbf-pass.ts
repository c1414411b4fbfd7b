import type { Bytes } from '../../shards/units.ts';
import { sizeOf } from '../inputs/size-of.ts';
import type { PbfRange } from '../osm/blob-reader.ts';
import { type PbfSummary, readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';

/**
 * Makes one pass over a PBF file, or a part of it. `onRead` receives numbers of bytes that add up
 * to the size of the file or part.
 */
export async function readPass(
  path: string,
  handlers: PbfHandlers,
  onRead: (bytes: Bytes) => void,
  range?: PbfRange,
): Promise<PbfSummary> {
  let before = range?.from ?? 0;
  const onBytes = (done: Bytes) => {
    onRead(done - before);
    before = done;
  };
  const seen = await readPbf(path, handlers, onBytes, range);
  // When only nodes are read, a sorted file is abandoned at its first way.
  onRead((range?.to ?? (await sizeOf(path))) - before);
  return seen;
}
