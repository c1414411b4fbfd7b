import type { Bytes } from '../../shards/units.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { type PbfSummary, readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';

/** A pass over a PBF file. `read` is called with bytes read, which add up to the whole file. */
export async function readOnce(
  path: string,
  handlers: PbfHandlers,
  read: (bytes: Bytes) => void,
): Promise<PbfSummary> {
  let before = 0;
  const seen = await readPbf(path, handlers, (done) => {
    read(done - before);
    before = done;
  });
  // When only nodes are wanted, a sorted file is abandoned at its first way.
  read((await sizeOf(path)) - before);
  return seen;
}
