import { type Command, InvalidArgumentError } from 'commander';
import type { StageProgress } from '../../../builder/progress.ts';
import { collectGarbage } from '../../../builder/publish/collect-garbage.ts';
import {
  findManifest,
  latestIfAny,
  promoteRelease,
} from '../../../builder/publish/promote-release.ts';
import { whileOpen } from '../../../shards/concurrency/while-open.ts';
import { counted } from '../../../shards/number-words.ts';
import { objectsNamed } from '../../../shards/release/manifest.ts';
import {
  MANIFESTS,
  readManifest,
  releaseOfName,
  stemOf,
} from '../../../shards/release/manifests.ts';
import { openNamed } from '../../../shards/release/named-releases.ts';
import {
  changesInWords as changesOf,
  notesInWords,
} from '../../../shards/release/notes-in-words.ts';
import type { Release } from '../../../shards/release/release.ts';
import { ReleaseCache } from '../../../shards/release/release-cache.ts';
import { diffReleases } from '../../../shards/release/release-diff.ts';
import { readNotes } from '../../../shards/release/release-notes.ts';
import { openRelease } from '../../../shards/release/release-source.ts';
import { countyInWords } from '../../../shards/states.ts';
import { openStore, openWritableStore } from '../../../shards/store/open-store.ts';
import type { Store, WritableStore } from '../../../shards/store/store.ts';
import { canBeWritten } from '../../../shards/store/store-location.ts';
import { recountAccess } from '../../../shards/verify/access-recount.ts';
import {
  type Finding,
  verifyExports,
  verifyRelease,
} from '../../../shards/verify/verify-release.ts';
import { ArgumentError, describe, UsageError } from '../../errors.ts';
import { storeSchema } from '../../settings/locations.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { print, printEither } from '../print.ts';
import { changesInWords } from '../release-changes.ts';
import { contentsOf, sizeOf } from '../release-contents.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';
import { addDiffOptions, type DiffFlags, namesOfPair, writeDiff } from './release-diff.ts';
import { addReportOptions, type ReportFlags, writeReport } from './release-report.ts';

const CACHE_BYTES = 1 << 30;
const DEFAULT_KEEP = 2;
const DEFAULT_GRACE_HOURS = 24;

interface CollectFlags extends Flags {
  keep: number;
  graceHours: number;
  dryRun?: boolean;
}

interface ShowFlags extends Flags {
  json?: boolean;
  verbose?: boolean;
}

interface AllDiffFlags extends DiffFlags, Flags {
  readonly json?: boolean;
}

/** Refuses options that would have no effect on how `tta release diff` is called. */
function refuseUnused(flags: AllDiffFlags): void {
  if (flags.out !== undefined) {
    if (flags.json) throw new ArgumentError('--json applies only without --out');
    return;
  }
  const { type, of, minutes, mode, area, departure, percentile } = flags;
  const selecting = { type, of, minutes, mode, area, departure, percentile };
  for (const [name, value] of Object.entries(selecting)) {
    if (value !== undefined) throw new ArgumentError(`--${name} applies only with --out`);
  }
}

export function defineRelease(release: Command): void {
  const command = (name: string, description: string) =>
    addSettings(release.command(name).description(description), storeSchema);
  const which = 'a release, or its manifest (default: the current one)';

  command(
    'list',
    'List the releases in a store with their size and what changed, newest first; a star marks the current one.',
  ).action((flags: Flags) => run(() => withStore(flags, list)));
  command('show', 'Show the contents of a release.')
    .argument('[release]', which)
    .option('--json', 'print the raw manifest')
    .option(
      '--verbose',
      'also list objects with their bytes, weekdays of feeds, POIs by type, assumptions',
    )
    .action((wanted: string | undefined, flags: ShowFlags) =>
      run(() => withReader(flags, (store) => show(store, wanted, flags))),
    );
  command(
    'verify',
    'Read and verify every object of a release and its exports; exit code 1 if any is damaged.',
  )
    .argument('[release]', which)
    .action((wanted: string | undefined, flags: Flags) =>
      run(() => withReader(flags, (store) => verify(store, wanted))),
    );
  addDiffOptions(
    command(
      'diff',
      'List the counties that differ between two releases, and how travel times changed; with --out, write the changes of every block.',
    )
      .argument('[before]', 'a release, or its manifest; as --from')
      .argument('[after]', 'another release of the same store; as --to')
      .option('--json', 'print JSON, one line per county'),
  ).action((before: string | undefined, after: string | undefined, flags: AllDiffFlags) =>
    run(async () => {
      const names = namesOfPair(flags, before, after);
      const { out } = flags;
      refuseUnused(flags);
      await withStore(flags, (store) =>
        out === undefined
          ? diff(store, ...names, flags.json === true)
          : writeDiff(store, names, out, flags),
      );
    }),
  );
  addReportOptions(
    command(
      'report',
      'Write a printable report of one page, with a map, on who gains and who loses between two releases.',
    ),
  ).action((flags: ReportFlags & Flags) =>
    run(async () => {
      const names = namesOfPair(flags);
      return withStore(flags, (store) => writeReport(store, names, flags));
    }),
  );
  command('promote', 'Make a release the current one, for example to roll back.')
    .argument('<release>', 'its label, or its manifest if several have that label')
    .action((wanted: string, flags: Flags) =>
      run(() => withStore(flags, (store) => promote(store, wanted))),
    );
  command('gc', 'Remove objects that no kept release needs.')
    .option(
      '--keep <n>',
      'number of releases to keep besides the current one, newest first, those that never were current last',
      wholeNumber,
      DEFAULT_KEEP,
    )
    .option(
      '--grace-hours <hours>',
      'keep anything younger than this',
      wholeNumber,
      DEFAULT_GRACE_HOURS,
    )
    .option('--dry-run', 'only list what would be removed')
    .action((flags: CollectFlags) => run(() => withStore(flags, (store) => collect(store, flags))));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.');
  return Number(text);
}

function withStore<T>(flags: Flags, use: (store: WritableStore) => Promise<T>): Promise<T> {
  return whileOpen(openWritableStore(readSettings(storeSchema, flags).STORE), use);
}

/** Opens the store for read-only commands, which also accept a read-only store. */
function withReader(flags: Flags, use: (store: Store) => Promise<void>): Promise<void> {
  return whileOpen(openStore(readSettings(storeSchema, flags).STORE), use);
}

async function list(store: WritableStore): Promise<void> {
  const manifests = (await store.list(MANIFESTS)).filter(({ name }) => name.endsWith('.json'));
  if (manifests.length === 0) throw new UsageError(`${store.location}: holds no release`);
  const latest = await latestIfAny(store);
  for (const { name, modifiedMs } of manifests.sort((a, b) => b.modifiedMs - a.modifiedMs)) {
    const [star, since] =
      name === latest?.manifest ? ['*', `, published ${latest.published_at}`] : [' ', ''];
    const written = `written ${new Date(modifiedMs).toISOString()}${since}`;
    print([`${star} ${stemOf(name)}  ${written}`, ...(await inShort(store, name))].join('; '));
  }
}

/** The size of a release and what changed in it; or why that is not known. */
async function inShort(store: Store, name: string): Promise<string[]> {
  try {
    const { manifest } = await readManifest(store, name);
    const notes = await readNotes(store, name);
    const [changed] = notes?.before && notes.changes ? changesOf(notes.changes) : [];
    const since = changed === undefined ? [] : [`${changed} since ${notes!.before!.release}`];
    return [sizeOf(manifest), ...since];
  } catch (error) {
    return [describe(error)];
  }
}

/** Opens the requested release, or the current one. */
async function open(store: Store, wanted: string | undefined): Promise<Release> {
  const cache = new ReleaseCache(CACHE_BYTES);
  if (wanted === undefined) return openRelease(store, cache);
  const name = await manifestIn(store, wanted);
  return openNamed(store, name, cache, await readNotes(store, name));
}

/** Finds a manifest by its own name or, in a store that can list its releases, by label. */
async function manifestIn(store: Store, wanted: string): Promise<string> {
  const name = `${MANIFESTS}${wanted.replace(MANIFESTS, '').replace(/\.json$/, '')}.json`;
  if (releaseOfName(name) !== null && (await store.stat(name)) !== null) return name;
  if (canBeWritten(store.location)) {
    return whileOpen(openWritableStore(store.location), (listed) => findManifest(listed, wanted));
  }
  throw new UsageError(
    `${store.location}: has no manifest "${wanted}", and cannot list its releases; give the name of a manifest, or nothing for the current release`,
  );
}

async function diff(
  store: WritableStore,
  before: string,
  after: string,
  json: boolean,
): Promise<void> {
  const read = async (wanted: string) =>
    (await readManifest(store, await findManifest(store, wanted))).manifest;
  const [was, is] = [await read(before), await read(after)];
  let differing = 0;
  const named = (county: string) =>
    countyInWords(county, (is.counties[county] ?? was.counties[county])?.name);
  for await (const diff of diffReleases(store, was, is)) {
    differing++;
    printEither(json, diff, changesInWords(diff, named(diff.county)));
  }
  if (json) return;
  const all = new Set([...Object.keys(was.counties), ...Object.keys(is.counties)]).size;
  print(`${differing} of ${counted(all, 'county differs', 'counties differ')}`);
}

async function show(
  store: Store,
  wanted: string | undefined,
  { json = false, verbose = false }: ShowFlags,
): Promise<void> {
  const { manifest, latest, notes } = await open(store, wanted);
  if (json) return void process.stdout.write(`${JSON.stringify(manifest, null, 2)}\n`);
  const since = wanted === undefined ? `, current, published ${latest.published_at}` : '';
  print(`release ${manifest.release}${since}: ${latest.manifest}`);
  for (const line of contentsOf(manifest, verbose)) print(line);
  if (notes) print(...notesInWords(notes, verbose));
}

async function verify(store: Store, wanted: string | undefined): Promise<void> {
  const release = await open(store, wanted);
  const { release: label, access, counties } = release.manifest;
  const total = objectsNamed(release.manifest).length;
  const progress = terminalProgress(process.stderr);
  const read = await readAll(progress.start('verify', total, 'objects'), (onObject) =>
    verifyRelease(release, onObject),
  );
  const toRecount = access.length > 0 ? Object.keys(counties).length : 0;
  const partly: string[] = [];
  const recount = await readAll(
    progress.start('recount access', toRecount, 'counties'),
    (onCounty) =>
      recountAccess(release, new Set(read.faulty), (fips, isWhole) => {
        onCounty();
        if (!isWhole) partly.push(countyInWords(fips, counties[fips].name));
      }),
  );
  if (partly.length > 0)
    print(
      `not all of access is recounted, since objects that it counts have errors: ${partly.join('; ')}`,
    );
  const exported = await readAll(progress.start('verify exports', null, 'objects'), (onObject) =>
    verifyExports(release, onObject),
  );
  const faults = read.faulty.length + recount.faulty.length;
  const found = [
    ...(faults > 0 ? [`${counted(faults, 'error')} in release ${label}; rebuild it`] : []),
    ...(exported.faulty.length > 0
      ? [
          `${counted(exported.faulty.length, 'error')} in its exports; run tta export --store … again`,
        ]
      : []),
  ];
  if (found.length > 0) throw new UsageError(found.join('. '));
  const objects = total + exported.steps;
  print(
    `release ${label} is intact: ${counted(objects, 'object')}, ${exported.steps} of them of exports`,
  );
}

/** Prints the findings of a verification, and returns its steps and the object of each finding. */
async function readAll(
  stage: StageProgress,
  verification: (onStep: () => void) => AsyncIterable<Finding>,
): Promise<{ steps: number; faulty: readonly string[] }> {
  let steps = 0;
  const faulty: string[] = [];
  for await (const { object, problem } of verification(() => stage.at(steps++))) {
    faulty.push(object);
    print(`${object}: ${problem}`);
  }
  stage.finish();
  return { steps, faulty };
}

async function promote(store: WritableStore, wanted: string): Promise<void> {
  const { before, after } = await promoteRelease(store, wanted, new Date());
  if (before?.sha256 === after.sha256) {
    print(`${stemOf(after.manifest)} is already the current release`);
  } else {
    print(`${before ? stemOf(before.manifest) : 'nothing'} → ${stemOf(after.manifest)}`);
  }
}

async function collect(store: WritableStore, { dryRun, ...flags }: CollectFlags): Promise<void> {
  const { kept, remove } = await collectGarbage(
    store,
    { ...flags, dryRun: dryRun === true },
    new Date(),
  );
  for (const { name, bytes } of remove) print(`${name}  ${bytes} bytes`);
  const bytes = remove.reduce((sum, file) => sum + file.bytes, 0);
  const verb = dryRun ? 'would remove' : 'removed';
  print(`${verb} ${counted(remove.length, 'file')}, ${counted(bytes, 'byte')}`);
  print(`kept ${kept.map(({ name }) => stemOf(name)).join(', ')}`);
}
