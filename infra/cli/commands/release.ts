import { type Command, Option } from 'commander';
import { LATEST } from '../../../shards/manifest.ts';
import { openRelease, ReleaseCache, readLatest } from '../../../shards/release.ts';
import { openStore } from '../../../shards/store/open-store.ts';
import type { WritableStore } from '../../../shards/store/store.ts';
import { verifyRelease } from '../../../shards/verify.ts';
import { run, UsageError } from '../run.ts';
import { terminalProgress } from '../terminal-progress.ts';

const CACHE_BYTES = 1 << 30;

interface ReleaseFlags {
  store: string;
  json?: boolean;
}

export function addReleaseCommands(program: Command): void {
  const release = program.command('release').description('Look after the releases in a store.');
  const store = () =>
    new Option('--store <store>', 'the folder of the store').env('STORE').makeOptionMandatory();
  release
    .command('list')
    .description('List the releases in a store; a star marks the one in force.')
    .addOption(store())
    .action((flags: ReleaseFlags) => run(() => withStore(flags, list)));
  release
    .command('show')
    .description('Show what the release in force is made of.')
    .addOption(store())
    .option('--json', 'print the manifest itself')
    .action((flags: ReleaseFlags) =>
      run(() => withStore(flags, (s) => show(s, flags.json === true))),
    );
  release
    .command('verify')
    .description(
      'Read every object of the release in force again and check it; exit code 1 on a fault.',
    )
    .addOption(store())
    .action((flags: ReleaseFlags) => run(() => withStore(flags, verify)));
}

async function withStore(flags: ReleaseFlags, use: (store: WritableStore) => Promise<void>) {
  const store = openStore(flags.store);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

async function list(store: WritableStore): Promise<void> {
  const manifests = await store.list('manifests/');
  if (manifests.length === 0) throw new UsageError(`${store.location}: holds no release`);
  const latest = await readLatest(store);
  for (const { name, bytes } of manifests) {
    const current = name === latest.manifest;
    const when = current ? `  published ${latest.published_at}` : '';
    print(
      `${current ? '*' : ' '} ${name.slice('manifests/'.length, -'.json'.length)}  ${bytes} bytes${when}`,
    );
  }
}

async function show(store: WritableStore, json: boolean): Promise<void> {
  const { manifest, latest } = await openRelease(store, new ReleaseCache(CACHE_BYTES));
  if (json) return print(JSON.stringify(manifest, null, 2));
  print(
    `release ${manifest.release}, published ${latest.published_at} (${LATEST} → ${latest.manifest})`,
  );
  print(`modes: ${manifest.modes.join(', ')}; taxonomy ${manifest.taxonomy.version}`);
  for (const { component, version, effective_date } of manifest.components) {
    print(`  ${component}: ${version}, data of ${effective_date}`);
  }
  for (const [fips, county] of Object.entries(manifest.counties)) {
    print(
      `county ${fips}: ${county.blocks} blocks (${county.routable_blocks} routable), ${county.population} people`,
    );
    for (const { name, bytes } of Object.values(county.objects)) print(`  ${name}  ${bytes} bytes`);
  }
  for (const [name, value] of Object.entries(manifest.assumptions))
    print(`assumes ${name}: ${value}`);
}

async function verify(store: WritableStore): Promise<void> {
  const release = await openRelease(store, new ReleaseCache(CACHE_BYTES));
  const counties = Object.values(release.manifest.counties);
  const total = counties.reduce((sum, county) => sum + Object.keys(county.objects).length, 0);
  const stage = terminalProgress(process.stderr).start('verify', total, 'objects');
  let objects = 0;
  let faults = 0;
  for await (const { object, problem } of verifyRelease(release, () => stage.at(++objects))) {
    faults++;
    print(`${object}: ${problem}`);
  }
  stage.finish();
  if (faults > 0) {
    throw new UsageError(`${faults} faults in release ${release.manifest.release}; build it again`);
  }
  print(`release ${release.manifest.release} is sound: ${total} objects`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
