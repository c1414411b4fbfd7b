import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type Command, Option } from 'commander';
import {
  CHANGE_TABLE_FORMATS,
  type ChangeTableFormat,
  longRows,
  openChanges,
  wideRows,
} from '../../../builder/changes/change-tables.ts';
import { changeTiles } from '../../../builder/changes/change-tiles.ts';
import { changesByCounty } from '../../../builder/changes/changed-columns.ts';
import { FileSink } from '../../../builder/export/table-writer.ts';
import type { Measure } from '../../../shards/changes/block-change.ts';
import type { ComparedCounty, ReleasePair } from '../../../shards/changes/compared-county.ts';
import { counted } from '../../../shards/number-words.ts';
import { ScratchFile } from '../../../shards/store/scratch-file.ts';
import type { WritableStore } from '../../../shards/store/store.ts';
import { ArgumentError } from '../../errors.ts';
import { changeSummary } from '../changes/change-summary.ts';
import {
  addCompareOptions,
  type CompareFlags,
  type Comparison,
  compareReleases,
} from '../changes/compare-releases.ts';
import { openPair } from '../changes/open-pair.ts';
import { print } from '../print.ts';

const FORMATS = [...CHANGE_TABLE_FORMATS, 'pmtiles'] as const;
type Format = (typeof FORMATS)[number];

export interface DiffFlags extends CompareFlags {
  readonly format?: Format;
  readonly out?: string;
}

/** Adds the options with which `tta release diff` writes the changes of blocks. */
export function addDiffOptions(command: Command): Command {
  return addCompareOptions(command)
    .option(
      '--out <file>',
      'write how times and counts of every block differ, and print who gains and loses',
    )
    .addOption(
      new Option(
        '--format <format>',
        'format of --out: a row per block, mode and type or count (parquet, csv), or a feature per block (geojson, pmtiles); by default that of the file’s extension, or parquet',
      ).choices(FORMATS),
    );
}

function formatOf(out: string): Format {
  const extension = path.extname(out).slice(1).toLowerCase();
  return FORMATS.find((format) => format === extension) ?? FORMATS[0];
}

/** The names of two releases, by position or option; throws an `ArgumentError` without both. */
export function namesOfPair(
  { from, to }: CompareFlags,
  before?: string,
  after?: string,
): readonly [from: string, to: string] {
  const [earlier, later] = [from ?? before, to ?? after];
  if (earlier !== undefined && later !== undefined) return [earlier, later];
  throw new ArgumentError('name two releases: --from and --to; tta release list shows them');
}

/** Writes the changes of blocks between two releases, and prints who gains and loses. */
export async function writeDiff(
  store: WritableStore,
  names: readonly [string, string],
  out: string,
  flags: DiffFlags,
): Promise<void> {
  const pair = await openPair(store, names, flags);
  const comparison = await compareReleases(pair, flags);
  const format = flags.format ?? formatOf(out);
  const rows = await writeChanges(comparison, format, out);
  const what = format === 'geojson' || format === 'pmtiles' ? 'block' : 'row';
  print(`${out}: ${counted(rows, `${what} that differs`, `${what}s that differ`)}`);
  print(...changeSummary(comparison));
}

/** Writes a file in place of any before; returns the number of rows or blocks. */
async function writeChanges(
  { pair, counties, changed: measures }: Comparison,
  format: Format,
  out: string,
): Promise<number> {
  const folder = await mkdtemp(path.join(path.dirname(path.resolve(out)), '.tta-diff-'));
  const file = path.join(folder, 'changes');
  try {
    const rows =
      format === 'pmtiles'
        ? await writeTiles(pair, counties, measures, file)
        : await writeTable(format, pair, counties, measures, file);
    await rename(file, out);
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeTable(
  format: ChangeTableFormat,
  pair: ReleasePair,
  counties: readonly ComparedCounty[],
  measures: readonly Measure[],
  file: string,
): Promise<number> {
  const sink = new FileSink(file);
  try {
    const table = await openChanges(format, pair, measures, sink);
    let rows = 0;
    for await (const county of changesByCounty(counties, measures)) {
      const groups = format === 'geojson' ? wideRows(county, measures) : longRows(pair, county);
      for await (const group of groups) {
        table.append(group);
        rows += group.rows;
      }
    }
    table.finish();
    return rows;
  } finally {
    sink.close();
  }
}

async function writeTiles(
  pair: ReleasePair,
  counties: readonly ComparedCounty[],
  measures: readonly Measure[],
  file: string,
): Promise<number> {
  const scratch = new ScratchFile(`${file}.scratch`);
  const sink = new FileSink(file);
  try {
    const { body, blocks } = await changeTiles(pair, counties, measures, scratch);
    for await (const chunk of body.chunks()) sink.append(chunk);
    return blocks;
  } finally {
    sink.close();
    scratch.close();
  }
}
