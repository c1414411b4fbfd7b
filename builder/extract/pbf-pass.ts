import type { Bytes } from '../../shards/units.ts';
import { sizeOf } from '../inputs/fingerprint.ts';
import { type PbfSummary, readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';

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
