import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { checkedSection, readEnvelope } from '../../../shards/envelope.ts';
import { ShardError } from '../../../shards/errors.ts';
import { geoidFromNumber } from '../../../shards/geoid.ts';
import { BlockIndex, INDEX_KIND, LINK_MODES } from '../../../shards/index/block-index.ts';
import { MATRIX_KIND, Matrix } from '../../../shards/matrix/matrix.ts';
import { NEAREST_KIND, readNearestShape } from '../../../shards/nearest/nearest.ts';
import { PoiTable } from '../../../shards/pois/poi-table.ts';
import { MICRO } from '../../../shards/units.ts';
import { run, UsageError } from '../run.ts';

export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .argument('<object>', 'a shard: a .tta file of a store')
    .description('Say in words what is in a shard, checking all of it.')
    .action((object: string) => run(() => inspect(object)));
}

async function inspect(object: string): Promise<void> {
  const bytes = await readFile(object).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${object}: ${error.code === 'ENOENT' ? 'no such file' : error.message}`);
  });
  const envelope = readEnvelope(object, bytes, bytes.length);
  print(`${object}: ${bytes.length} bytes`);
  for (const { tag, bytes: length } of envelope.sections) {
    checkedSection(object, envelope, tag, bytes);
    print(`  section ${tag}: ${length} bytes, checksum right`);
  }
  if (envelope.kind === INDEX_KIND) inspectIndex(BlockIndex.decode(object, bytes));
  else if (envelope.kind === NEAREST_KIND) {
    const { rows, columns } = readNearestShape(object, bytes);
    print(`nearest: ${rows} blocks × ${columns} cells (mode by mode, leaf types ascending)`);
  } else if (envelope.kind === MATRIX_KIND) inspectMatrix(Matrix.fromBytes(object, bytes), bytes);
  else throw new ShardError(object, 'header', `is of the unknown kind "${envelope.kind}"`);
}

function inspectIndex(index: BlockIndex): void {
  const ordinals = Array.from({ length: index.count }, (_, i) => i);
  const people = ordinals.reduce((sum, i) => sum + (index.population(i) ?? 0), 0);
  print(`index: ${index.count} blocks, ${people} people`);
  for (const mode of LINK_MODES) {
    const counts = new Map<string, number>();
    for (const i of ordinals) {
      const { status } = index.link(i, mode);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
    print(`  ${mode}: ${[...counts].map(([status, n]) => `${n} ${status}`).join(', ')}`);
  }
  if (index.count > 0) {
    const at = `${index.lon[0] / MICRO}, ${index.lat[0] / MICRO}`;
    print(`  first block: ${geoidFromNumber(index.geoids[0])} at ${at}`);
  }
}

function inspectMatrix(matrix: Matrix, bytes: Uint8Array): void {
  const perMode = new Array<number>(matrix.modes).fill(0);
  let empty = 0;
  for (let i = 0; i < matrix.origins.length; i++) {
    const { offset, length } = matrix.rowRange(i);
    const modes = matrix.decode(i, bytes.subarray(offset, offset + length));
    if (length === 0) empty++;
    modes.forEach(({ targets }, mode) => {
      perMode[mode] += targets.length;
    });
  }
  const rows = perMode.reduce((sum, count) => sum + count, 0);
  print(
    `matrix: ${matrix.origins.length} origins (${empty} reach nothing) × ${matrix.targets.length} targets, in ${matrix.unit.name}`,
  );
  print(
    `  rows by mode: ${perMode.join(', ')}; ${(bytes.length / Math.max(1, rows)).toFixed(2)} bytes a row, everything counted`,
  );
  if (matrix.attributes.length > 0 && matrix.targets.length > 0) {
    const table = new PoiTable(matrix.ref.name, matrix.attributes);
    print(`  first target: ${matrix.targets[0]} ${JSON.stringify(table.facts(0))}`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
