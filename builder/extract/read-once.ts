import type { Bytes } from '../../shards/units.ts';
import { sizeOf } from '../inputs/size-of.ts';
import { type PbfSummary, readPbf } from '../osm/pbf.ts';
import type { PbfHandlers } from '../osm/primitive-block.ts';

/** A pass over a PBF file. `read` is told of bytes, in the end of all that it has. */
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
  // One that is sorted is left at its first way when only nodes are wanted.
  read((await sizeOf(path)) - before);
  return seen;
}
