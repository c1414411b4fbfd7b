import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { writeFileWhole } from '../../builder/inputs/whole-file.ts';
import { BlockWriter, frame, headerBlock } from '../../builder/osm/pbf-writer.ts';
import type { OsmContent } from './osm-elements.ts';

interface PbfContent extends OsmContent {
  /** Time of the state of the map that the file claims to show. */
  readonly timestamp: Date;
}

/** Elements per block, as in the format's reference programs. */
const ELEMENTS_PER_BLOCK = 8_000;

const deflateAsync = promisify(deflate);

/**
 * Writes an OpenStreetMap PBF file in bounded memory: dense nodes, then ways, then relations,
 * compressed with zlib. See https://wiki.openstreetmap.org/wiki/PBF_Format. `onElements` receives
 * the number of elements written.
 */
export async function writePbf(
  path: string,
  content: PbfContent,
  onElements: (written: number) => void = () => {},
): Promise<void> {
  await writeFileWhole(path, async function* () {
    const { box, timestamp } = content;
    const header = headerBlock({
      box,
      timestampMs: timestamp.getTime(),
      required: ['OsmSchema-V0.6', 'DenseNodes'],
      optional: ['Sort.Type_then_ID'],
      program: 'tta demo',
    });
    yield frame('OSMHeader', header, await deflateAsync(header));
    let written = 0;
    for (const { bytes, elements } of blocks(content)) {
      yield frame('OSMData', bytes, await deflateAsync(bytes));
      written += elements;
      onElements(written);
    }
  });
}

interface Block {
  readonly bytes: Uint8Array;
  readonly elements: number;
}

function* blocks(content: OsmContent): Generator<Block> {
  yield* chunked(content.nodes(), (block, { id, lon, lat, tags }) => {
    block.node(id, lon, lat, Object.entries(tags));
  });
  yield* chunked(content.ways(), (block, { id, refs, tags }) => {
    block.way(id, refs, Object.entries(tags));
  });
  yield* chunked(content.relations(), (block, { id, members, tags }) => {
    block.relation(id, members, Object.entries(tags));
  });
}

function* chunked<T>(
  all: Iterable<T>,
  write: (block: BlockWriter, element: T) => void,
): Generator<Block> {
  const block = new BlockWriter();
  for (const element of all) {
    write(block, element);
    const { elements } = block;
    if (elements === ELEMENTS_PER_BLOCK) yield { elements, bytes: block.finish() };
  }
  const { elements } = block;
  if (elements > 0) yield { elements, bytes: block.finish() };
}
