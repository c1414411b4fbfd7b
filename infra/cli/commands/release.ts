import { type Command, InvalidArgumentError, Option } from 'commander';
import { collectGarbage } from '../../../builder/publish/collect-garbage.ts';
import {
  findManifest,
  latestIfAny,
  promoteRelease,
} from '../../../builder/publish/promote-release.ts';
import { objectsNamed } from '../../../shards/manifest-objects.ts';
import { MANIFESTS, readManifest } from '../../../shards/manifests.ts';
import { Release } from '../../../shards/release.ts';
import { ReleaseCache } from '../../../shards/release-cache.ts';
import { openRelease } from '../../../shards/release-source.ts';
import { openWritableStore } from '../../../shards/store/open-store.ts';
import type { ObjectRef, WritableStore } from '../../../shards/store/store.ts';
import { verifyRelease } from '../../../shards/verify.ts';
import { run, UsageError } from '../run.ts';
import { terminalProgress } from '../terminal-progress.ts';

const CACHE_BYTES = 1 << 30;
const DEFAULT_KEEP = 2;
const DEFAULT_GRACE_HOURS = 24;

interface StoreFlag {
  store: string;
}

interface CollectFlags extends StoreFlag {
  keep: number;
  graceHours: number;
  dryRun?: boolean;
}

export function addReleaseCommands(program: Command): void {
  const release = program.command('release').description('Look after the releases in a store.');
  const command = (name: string, description: string) =>
    release
      .command(name)
      .description(description)
      .addOption(
        new Option('--store <store>', 'the folder of the store').env('STORE').makeOptionMandatory(),
      );
  const which = 'a release, or its manifest (default: the one in force)';

  command(
    'list',
    'List the releases in a store, newest first; a star marks the one in force.',
  ).action((flags: StoreFlag) => run(() => withStore(flags, list)));
  command('show', 'Show what a release is made of.')
    .argument('[release]', which)
    .option('--json', 'print the manifest itself')
    .action((wanted: string | undefined, flags: StoreFlag & { json?: boolean }) =>
      run(() => withStore(flags, (store) => show(store, wanted, flags.json === true))),
    );
  command('verify', 'Read every object of a release again and check it; exit code 1 on a fault.')
    .argument('[release]', which)
    .action((wanted: string | undefined, flags: StoreFlag) =>
      run(() => withStore(flags, (store) => verify(store, wanted))),
    );
  command('promote', 'Put a release of the store in force, such as the one before.')
    .argument('<release>', 'its label, or its manifest where several have that label')
    .action((wanted: string, flags: StoreFlag) =>
      run(() => withStore(flags, (store) => promote(store, wanted))),
    );
  command('gc', 'Remove what no kept release needs.')
    .option(
      '--keep <n>',
      'releases to keep beside the one in force, the newest',
      wholeNumber,
      DEFAULT_KEEP,
    )
    .option(
      '--grace-hours <hours>',
      'leave alone what is younger',
      wholeNumber,
      DEFAULT_GRACE_HOURS,
    )
    .option('--dry-run', 'only say what would be removed')
    .action((flags: CollectFlags) => run(() => withStore(flags, (store) => collect(store, flags))));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

async function withStore(flags: StoreFlag, use: (store: WritableStore) => Promise<void>) {
  const store = openWritableStore(flags.store);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

async function list(store: WritableStore): Promise<void> {
  const manifests = (await store.list(MANIFESTS)).filter(({ name }) => name.endsWith('.json'));
  if (manifests.length === 0) throw new UsageError(`${store.location}: holds no release`);
  const latest = await latestIfAny(store);
  for (const { name, bytes, modifiedMs } of manifests.sort((a, b) => b.modifiedMs - a.modifiedMs)) {
    const [star, since] =
      name === latest?.manifest ? ['*', `  published ${latest.published_at}`] : [' ', ''];
    const written = new Date(modifiedMs).toISOString();
    print(`${star} ${stemOf(name)}  ${bytes} bytes  written ${written}${since}`);
  }
}

function stemOf(manifest: string): string {
  return manifest.slice(MANIFESTS.length, -'.json'.length);
}

/** The release that is wanted, or the one in force. */
async function open(store: WritableStore, wanted: string | undefined): Promise<Release> {
  const cache = new ReleaseCache(CACHE_BYTES);
  if (wanted === undefined) return openRelease(store, cache);
  const { ref, manifest } = await readManifest(store, await findManifest(store, wanted));
  const asIfPromoted = {
    release: manifest.release,
    manifest: ref.name,
    sha256: ref.sha256,
    published_at: new Date().toISOString(),
  };
  return new Release(store, asIfPromoted, manifest, cache);
}

async function show(
  store: WritableStore,
  wanted: string | undefined,
  json: boolean,
): Promise<void> {
  const { manifest, latest } = await open(store, wanted);
  if (json) return print(JSON.stringify(manifest, null, 2));
  const since = wanted === undefined ? `, in force, published ${latest.published_at}` : '';
  print(`release ${manifest.release}${since}: ${latest.manifest}`);
  print(
    `modes: ${manifest.modes.join(', ')}; directions: ${manifest.directions.join(', ')}; taxonomy ${manifest.taxonomy.version}`,
  );
  for (const { component, version, effective_date } of manifest.components) {
    print(`  ${component}: ${version}, data of ${effective_date}`);
  }
  for (const { agency, file, service_date, trips_in_window, problems } of manifest.feeds) {
    const rows = problems.reduce((sum, problem) => sum + problem.rows, 0);
    const trouble = rows === 0 ? '' : `, ${rows} rows not taken as they are`;
    print(`feed ${file} of ${agency}: ${trips_in_window} trips on ${service_date}${trouble}`);
  }
  for (const [fips, county] of Object.entries(manifest.counties)) {
    print(
      `county ${fips}: ${county.blocks} blocks (${county.routable_blocks} routable), ${county.population} people`,
    );
    printObjects(Object.values(county.objects));
  }
  for (const [state, { places, objects }] of Object.entries(manifest.states)) {
    print(`state ${state}: ${places} places`);
    printObjects(Object.values(objects));
  }
  print('the whole release:');
  const tiles = Object.values(manifest.tiles).flatMap(({ archive, sums }) => [archive, sums]);
  printObjects([...Object.values(manifest.objects), ...tiles]);
  for (const [name, value] of Object.entries(manifest.assumptions)) {
    print(`assumes ${name}: ${typeof value === 'object' ? JSON.stringify(value) : value}`);
  }
}

function printObjects(refs: readonly ObjectRef[]): void {
  for (const { name, bytes } of refs) print(`  ${name}  ${bytes} bytes`);
}

async function verify(store: WritableStore, wanted: string | undefined): Promise<void> {
  const release = await open(store, wanted);
  const total = objectsNamed(release.manifest).length;
  const stage = terminalProgress(process.stderr).start('verify', total, 'objects');
  let objects = 0;
  let faults = 0;
  for await (const { object, problem } of verifyRelease(release, () => stage.at(objects++))) {
    faults++;
    print(`${object}: ${problem}`);
  }
  stage.finish();
  const { release: label } = release.manifest;
  if (faults > 0) {
    throw new UsageError(
      `${faults} ${faults === 1 ? 'fault' : 'faults'} in release ${label}; build it again`,
    );
  }
  print(`release ${label} is sound: ${total} objects`);
}

async function promote(store: WritableStore, wanted: string): Promise<void> {
  const { before, after } = await promoteRelease(store, wanted, new Date());
  if (before?.sha256 === after.sha256) {
    print(`${stemOf(after.manifest)} is in force already`);
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
  print(`${verb} ${remove.length} files, ${bytes} bytes`);
  print(`kept ${kept.map(({ name }) => stemOf(name)).join(', ')}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
