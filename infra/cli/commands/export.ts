import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { exportRelease } from '../../../builder/export/export-release.ts';
import { verifyExport } from '../../../builder/export/exported-files.ts';
import { publishExports } from '../../../builder/export/publish-exports.ts';
import { TABLE_NAMES, tableNamesIn } from '../../../builder/export/tables.ts';
import type { ExportRequest } from '../../../builder/export/write-tables.ts';
import { exportTablesBy } from '../../../builder/tasks/export-tables.ts';
import { whileOpen } from '../../../shards/concurrency/while-open.ts';
import { counted } from '../../../shards/number-words.ts';
import { GEOPARQUET_VERSIONS, type GeoParquetVersion } from '../../../shards/parquet/table.ts';
import {
  EXPORT_FORMATS,
  type ExportedTable,
  type ExportFormat,
} from '../../../shards/release/exported-table.ts';
import type { Release } from '../../../shards/release/release.ts';
import { ReleaseCache } from '../../../shards/release/release-cache.ts';
import { openRelease } from '../../../shards/release/release-source.ts';
import { stateFipsOf } from '../../../shards/states.ts';
import { openStore, openWritableStore } from '../../../shards/store/open-store.ts';
import type { Store, WritableStore } from '../../../shards/store/store.ts';
import type { CountyFips } from '../../../shards/units.ts';
import { ArgumentError, UsageError } from '../../errors.ts';
import { exportSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { commaList } from '../comma-list.ts';
import { executorOf } from '../executor-of.ts';
import { print } from '../print.ts';
import { run, runResumable } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

const CACHE_BYTES = 1 << 30;

interface Selection {
  tables?: readonly string[];
  county?: readonly string[];
  place?: readonly string[];
  format: ExportFormat;
  geoparquet?: GeoParquetVersion;
}

interface ExportFlags extends Selection, Flags {
  out?: string;
}

export function defineExport(command: Command): void {
  command
    .option(
      '--out <folder>',
      'where to write: a folder, or s3://bucket/prefix (default: the store itself, for the API to serve)',
    )
    .addOption(
      new Option(
        '--tables <names>',
        `tables, comma-separated, of: ${TABLE_NAMES.join(', ')} (default: all that the format can hold)`,
      ).argParser(tableNames),
    )
    .option(
      '--county <fips>',
      'counties, five-digit codes, comma-separated (default: all)',
      commaList,
    )
    .option(
      '--place <geoids>',
      'counties that these census places lie in, comma-separated',
      commaList,
    )
    .addOption(
      new Option(
        '--format <format>',
        `format of the files; geojson and gpkg-ready, a FlatGeobuf for ogr2ogr, hold ${tableNamesIn('geojson').join(', ')}`,
      )
        .choices(EXPORT_FORMATS)
        .default(EXPORT_FORMATS[0]),
    )
    .addOption(
      new Option(
        '--geoparquet <version>',
        'GeoParquet of blocks and places: 2.0 has outlines in the geometry type of Parquet, which many programs cannot read yet (default: "1.1")',
      ).choices(GEOPARQUET_VERSIONS),
    )
    .addHelpText(
      'after',
      '\nRun the same command again to continue an interrupted export. With --queue, each table of a county is a\njob for a `tta worker`, which writes it to the store; --out then receives a copy.\n\nExample:\n  tta export --store ./store --tables nearest,blocks --county 24510 --out ./tables',
    );
  addSettings(command, exportSchema).action((flags: ExportFlags) =>
    runResumable(() => exportTables(flags)),
  );
  command
    .command('verify')
    .description('Compare exported files with their list; exit code 1 if any is damaged.')
    .argument('<folder>', 'the --out of an export, or the folder of a release in it')
    .action((folder: string) => run(() => verify(folder)));
}

function tableNames(text: string): string[] {
  const names = commaList(text);
  const unknown = names.find((name) => !TABLE_NAMES.includes(name));
  if (unknown === undefined) return names;
  throw new InvalidArgumentError(`There is no table "${unknown}"; use ${TABLE_NAMES.join(', ')}.`);
}

async function exportTables(flags: ExportFlags): Promise<void> {
  const { out } = flags;
  const { STORE, WORKERS, QUEUE } = readSettings(exportSchema, flags);
  const progress = terminalProgress(process.stderr);
  if (QUEUE === undefined && out !== undefined) {
    return exportFrom(openStore(STORE), flags, (release, request) =>
      whileOpen(openWritableStore(out), (folder) =>
        exportRelease(release, request, folder, progress, WORKERS),
      ),
    );
  }
  return exportFrom(openWritableStore(STORE), flags, (release, request, store) => {
    const open = executorOf(QUEUE, store, progress);
    if (open === undefined) return publishExports(release, request, store, progress, WORKERS);
    return whileOpen(open(), (executor) => {
      const write = (folder: WritableStore | null) =>
        exportTablesBy(executor, release, request, store, progress, WORKERS, folder);
      return out === undefined ? write(null) : whileOpen(openWritableStore(out), write);
    });
  });
}

/** Writes the tables that the flags select by `write`, and reports how many files there are now. */
function exportFrom<S extends Store>(
  opening: Promise<S>,
  flags: ExportFlags,
  write: (release: Release, request: ExportRequest, store: S) => Promise<readonly ExportedTable[]>,
): Promise<void> {
  return whileOpen(opening, async (store) => {
    const release = await openRelease(store, new ReleaseCache(CACHE_BYTES));
    const request = await requestOf(release, flags);
    const files = await write(release, request, store);
    const place = flags.out
      ? `${flags.out}/release=${release.manifest.release}`
      : `${store.location}, for the API to serve,`;
    report(release, request, place, files.length);
  });
}

async function requestOf(release: Release, asked: Selection): Promise<ExportRequest> {
  const { county, place, format, geoparquet } = asked;
  if (geoparquet !== undefined && format !== 'parquet') {
    throw new ArgumentError(
      `--geoparquet: is of --format parquet; leave it out with --format ${format}`,
    );
  }
  const tables = tablesOf(asked);
  const all = release.counties.map(({ fips }) => fips);
  if (!county && !place) return { tables, counties: all, format, geoparquet };
  const counties = new Set([
    ...countiesNamed(all, county ?? []),
    ...(await countiesOfPlaces(release, place ?? [])),
  ]);
  return { tables, counties: [...counties], format, geoparquet };
}

/** The requested tables, or all that the format can hold. */
function tablesOf({ tables, format }: Selection): readonly string[] {
  const names = tableNamesIn(format);
  const other = tables?.find((name) => !names.includes(name));
  if (other === undefined) return tables ?? names;
  throw new ArgumentError(
    `--tables: ${other} has no outlines, which --format ${format} needs; use ${names.join(', ')}, or --format parquet or csv`,
  );
}

async function countiesOfPlaces(
  release: Release,
  geoids: readonly string[],
): Promise<readonly CountyFips[]> {
  const counties: CountyFips[] = [];
  for (const geoid of geoids) {
    const state = release.manifest.states[stateFipsOf(geoid)];
    const { places } = state ? await release.places(state) : { places: [] };
    const found = places.find((place) => place.geoid === geoid);
    if (!found) {
      throw new UsageError(
        `--place: the release has no census place "${geoid}"; give GEOIDs of seven digits`,
      );
    }
    counties.push(...found.counties);
  }
  return counties.filter((fips) => release.county(fips) !== undefined);
}

function countiesNamed(all: readonly string[], asked: readonly string[]): readonly string[] {
  const unknown = asked.find((fips) => !all.includes(fips));
  if (unknown === undefined) return asked;
  const some = all.slice(0, 10).join(', ');
  throw new UsageError(
    `--county: the release has no county "${unknown}"; it has ${some}${all.length > 10 ? ', …' : ''}`,
  );
}

function report(
  { manifest }: Release,
  { tables, counties }: ExportRequest,
  place: string,
  files: number,
): void {
  const what = `${counted(tables.length, 'table')} of ${counted(counties.length, 'county', 'counties')}`;
  print(`release ${manifest.release}: ${what}; ${place} now has ${counted(files, 'table file')}`);
}

function verify(location: string): Promise<void> {
  const folder = location.replace(/\/+$/, '');
  const only = path.basename(folder).startsWith('release=') ? path.basename(folder) : null;
  const whole = only === null ? location : path.dirname(folder);
  return whileOpen(openWritableStore(whole), async (out) => {
    const stage = terminalProgress(process.stderr).start('verify', null, 'files');
    let [files, faults] = [0, 0];
    for await (const { name, isDamaged } of verifyExport(out, only)) {
      stage.at(++files);
      if (!isDamaged) continue;
      faults++;
      print(`${name}: is damaged or missing`);
    }
    stage.finish(counted(files, 'file'));
    if (files === 0) {
      throw new UsageError(
        `${location}: holds no export; give the --out of one, or for those of a store run tta release verify --store ${location}`,
      );
    }
    if (faults > 0) throw new UsageError(`${counted(faults, 'damaged file')}; export again`);
    print(`${counted(files, 'file')} as exported`);
  });
}
