import { defineConfig } from 'vitest/config';

/** They hold a clock against what is done: nothing else runs beside them. */
const ALONE = [
  'test/bench/wrk.test.ts',
  'test/conformance/hostile-hour.slow.test.ts',
  'test/demo/large-city.slow.test.ts',
  'test/proxy/event-loop.test.ts',
  'test/proxy/hostile-requests.test.ts',
  'test/proxy/place-search.test.ts',
  'test/proxy/redis-faults.slow.test.ts',
  'test/shards/breaker.test.ts',
  'test/shards/breathe.test.ts',
  'test/shards/sweep-line.test.ts',
  'test/transit/endless-feeds.test.ts',
];

/**
 * They change their process: its environment, its clock, its flags; or they watch its memory, its
 * log or its network; or they are long, and start programs. The others share their modules with those
 * that run before them.
 */
const OWN_PROCESS = [
  'test/{builder,cli,demo,isochrone,portal,proxy,tiles,transit}/*.slow.test.ts',
  'test/conformance/*.slow.test.ts',
  'test/{bench,damage,deployment,front,operation,processes}/*.test.ts',
  'test/accounts/lmdb-ledger.test.ts',
  'test/accounts/redis-outages.test.ts',
  'test/cli/{accounts,build-errors,reconcile}.test.ts',
  'test/demo/repeatable.test.ts',
  'test/fetch/private-networks.test.ts',
  'test/portal/readme-walk.test.ts',
  'test/proxy/{free-answers,key-in-url,located-once,plan-cache}.test.ts',
  'test/shards/s3-store.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/demo-release.setup.ts'],
    // Of a machine that has other things to do: what must be fast says so itself.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...ALONE, ...OWN_PROCESS],
          isolate: false,
          // Many tests wait: for a clock, a disk, a program. Others use the core meanwhile.
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'own process',
          include: OWN_PROCESS,
          exclude: ALONE,
          maxWorkers: '100%',
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
