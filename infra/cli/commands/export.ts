import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type ExportFormat,
  type ExportRequest,
  exportRelease,
  FORMATS,
} from '../../../builder/export/export-release.ts';
import { TABLE_NAMES } from '../../../builder/export/tables.ts';
import { verifyExport } from '../../../builder/export/verify-export.ts';
import { counted } from '../../../shards/number-words.ts';
import type { Release } from '../../../shards/release/release.ts';
import { ReleaseCache } from '../../../shards/release/release-cache.ts';
import { openRelease } from '../../../shards/release/release-source.ts';
import { openStore, openWritableStore } from '../../../shards/store/open-store.ts';
import { UsageError } from '../../errors.ts';
import { storeSchema } from '../../settings/locations.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

const CACHE_BYTES = 1 << 30;

interface ExportFlags extends Flags {
  tables: readonly string[];
  county?: readonly string[];
  format: ExportFormat;
  out?: string;
}

export function addExportCommands(program: Command): void {
  const command = program
    .command('export')
    .description('Write the tables of the current release as Parquet or CSV files.')
    .option('--out <folder>', 'where to write: a folder, or s3://bucket/prefix')
    .option(
      '--tables <names>',
      `tables, comma-separated, of: ${TABLE_NAMES.join(', ')} (default: all)`,
      tableNames,
      TABLE_NAMES,
    )
    .option('--county <fips>', 'counties, five-digit codes, comma-separated (default: all)', list)
    .addOption(
      new Option('--format <format>', 'format of the files').choices(FORMATS).default(FORMATS[0]),
    )
    .addHelpText(
      'after',
      '\nRun the same command again to continue an interrupted export.\n\nExample:\n  tta export --store ./store --tables nearest,blocks --county 24510 --out ./tables',
    );
  addSettings(command, storeSchema).action((flags: ExportFlags) => run(() => exportTables(flags)));
  command
    .command('verify')
    .description('Compare exported files with their list; exit code 1 if any is damaged.')
    .argument('<folder>', 'the --out of an export')
    .action((folder: string) => run(() => verify(folder)));
}

function list(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

function tableNames(text: string): string[] {
  const names = list(text);
  const unknown = names.find((name) => !TABLE_NAMES.includes(name));
  if (unknown === undefined) return names;
  throw new InvalidArgumentError(`There is no table "${unknown}"; use ${TABLE_NAMES.join(', ')}.`);
}

async function exportTables({ out: location, ...flags }: ExportFlags): Promise<void> {
  if (location === undefined) throw new UsageError('--out: give a folder, or s3://bucket/prefix');
  const store = await openStore(readSettings(storeSchema, flags).STORE);
  try {
    const out = await openWritableStore(location);
    try {
      const release = await openRelease(store, new ReleaseCache(CACHE_BYTES));
      const request = { ...flags, counties: countiesOf(release, flags.county) };
      const files = await exportRelease(release, request, out, terminalProgress(process.stderr));
      process.stdout.write(inWords(release, request, files.length, location));
    } finally {
      await out.close();
    }
  } finally {
    await store.close();
  }
}

function countiesOf(release: Release, asked: readonly string[] | undefined): readonly string[] {
  const all = release.counties.map(({ fips }) => fips);
  if (!asked) return all;
  const unknown = asked.find((fips) => !all.includes(fips));
  if (unknown === undefined) return asked;
  const some = all.slice(0, 10).join(', ');
  throw new UsageError(
    `--county: the release has no county "${unknown}"; it has ${some}${all.length > 10 ? ', …' : ''}`,
  );
}

function inWords(
  { manifest }: Release,
  { tables, counties }: ExportRequest,
  files: number,
  out: string,
): string {
  return `release ${manifest.release}: ${counted(tables.length, 'table')} of ${counted(counties.length, 'county', 'counties')}; ${out}/release=${manifest.release} now has ${counted(files, 'file')}\n`;
}

async function verify(location: string): Promise<void> {
  const out = await openWritableStore(location);
  try {
    const stage = terminalProgress(process.stderr).start('verify', null, 'files');
    let [files, faults] = [0, 0];
    for await (const { name, isDamaged } of verifyExport(out)) {
      stage.at(++files);
      if (!isDamaged) continue;
      faults++;
      process.stdout.write(`${name}: is damaged or missing\n`);
    }
    stage.finish(counted(files, 'file'));
    if (files === 0) throw new UsageError(`${location}: holds no export; give the --out of one`);
    if (faults === 0) process.stdout.write(`${counted(files, 'file')} as exported\n`);
    else throw new UsageError(`${counted(faults, 'damaged file')}; run the export again`);
  } finally {
    await out.close();
  }
}
