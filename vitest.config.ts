import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that change their process: its environment, its modules, its flags; or that watch its
 * memory, its log, its signals or its processor time. All other files share processes, since
 * imports take seconds.
 */
const OWN_PROCESS = [
  'test/cli/queue-jobs.slow.test.ts',
  'test/conformance/hostile-hour.slow.test.ts',
  'test/fetch/private-networks.slow.test.ts',
  'test/operation/{ending,logs,monitoring,signals,tracing}.slow.test.ts',
  'test/proxy/{hostile-requests,query-cache,redis-faults}.slow.test.ts',
  'test/transit/endless-feeds.slow.test.ts',
];
const FAST_IN_OWN_PROCESS = [
  'test/demo/repeatable.test.ts',
  'test/proxy/{free-responses,key-in-url,located-once}.test.ts',
  'test/shards/retried-reads.test.ts',
  'test/walk.test.ts',
];
const ALL = 'test/**/*.test.ts';
const SYSTEM = 'test/**/*.slow.test.ts';

/**
 * Files that take long for their size, which decides without an earlier run: a long one that begins
 * last is waited for alone.
 */
const LONG = new RegExp(
  `/(${[
    'bench/(scale|weekly)',
    'builder/(mended|prepared-osm|rebuild|regions|resume|without-transit)',
    'cli/(addresses|build-queue|commands|npm-start|public-store|refresh|restore|s3)',
    'client/(faults|generators|package)',
    'conformance/(fuzz|recipes|table/include-missing)',
    'damage/(flip-bytes|swapped-objects)',
    'deployment/composition',
    'export/(exported-tables|interrupted-export|queued-export)',
    'fetch/(command|fetch-inputs|many-feeds)',
    'front/rolling-restarts',
    'fuzz/mutated-inputs',
    'ledger/redis-cluster',
    'operation/(ledger-away|runbook|store-faults)',
    'portal/(map|map-baltimore|map-changes|map-share|pages-access|town)',
    'proxy/presigned-links',
    'shards/(s3-store|verify)',
    'tiles/base-map',
    'transit/(analytic-city|baltimore|random-networks)',
  ].join('|')})\\.slow`,
);

/** Projects in the order of their runs: those whose files share a process fill the end. */
const ORDER = ['fast, own process', 'fast', 'system, own process', 'system'];

/**
 * Processes of slow tests: two thirds of their time they wait, for a clock, a disk, a program, and
 * others use the core meanwhile. Each takes up to 1.5 GB, with its browsers and programs.
 */
const SLOW_WORKERS = Math.min(4 * availableParallelism(), Math.ceil(totalmem() / 1.5e9));

const IS_FAST = process.env.npm_lifecycle_event === 'test';

/** Runs the longest files of each project first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(moduleId);
    const ordered = [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
    return ORDER.flatMap((name) => ordered.filter(({ project }) => project.name === name));
  }
}

export default defineConfig({
  test: {
    globalSetup: [
      'test/support/memory-disk.setup.ts',
      'test/support/demo-release.setup.ts',
      'test/support/debian.setup.ts',
    ],
    // Ends a test that hangs; says nothing of how long one may take.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Servers that tests start shed no requests because the machine is busy. Builds and exports
    // have one thread, unless a test states how many: another loads and compiles the program again,
    // which takes longer than its share of a small city.
    env: { SHED_AT_LAG_MS: '0', WORKERS: '1' },
    expect: { poll: { timeout: 120_000 } },
    // Modules that have not changed are not transformed again by the next run.
    experimental: { fsModuleCache: true },
    // Fast tests seldom wait, and each further process imports and compiles again.
    maxWorkers: IS_FAST ? availableParallelism() + 1 : SLOW_WORKERS,
    sequence: { sequencer: LongestFirst },
    // `npm test` runs the fast ones, which need Node alone; `npm run test:system` the others.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: [ALL],
          exclude: [...FAST_IN_OWN_PROCESS, SYSTEM],
          isolate: false,
          // Tests make many short-lived objects: with more room, they are collected less often.
          execArgv: ['--max-semi-space-size=32'],
        },
      },
      { extends: true, test: { name: 'fast, own process', include: FAST_IN_OWN_PROCESS } },
      {
        extends: true,
        test: { name: 'system', include: [SYSTEM], exclude: OWN_PROCESS, isolate: false },
      },
      { extends: true, test: { name: 'system, own process', include: OWN_PROCESS } },
    ],
  },
});
