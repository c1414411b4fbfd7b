import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';

/**
 * Folders whose lines are mutated one at a time, and the tests that must detect each mutation:
 * those that cover the folder and take seconds.
 */
const ROOMS = {
  'builder/gtfs':
    'test/transit/{feeds.slow,on-demand.slow,service-day-choice.slow,service-days,stations.slow,tables,transfers.slow}.test.ts',
  'builder/streets': 'test/{search/{ride-ends,street-search.slow},streets/*}.test.ts',
  'builder/transit':
    'test/transit/{door-to-door,frequent-stops,patterns-among,random-networks.slow,range-searches.slow,reduced-ways,stations.slow,transfers.slow}.test.ts',
  'portal/accounts':
    'test/accounts/{api-key,kept-answers.slow,ledger-address,ledger-folder,mailbox,nonsense,rate-window,redis-ledger.slow,shared-commits,sqlite-ledger.slow}.test.ts',
  'portal/payment': 'test/portal/{billing,payment,payment-outage}.slow.test.ts',
  'portal/sign-in':
    'test/portal/{attacks.slow,email-address,mail.slow,own-account,sign-in-mail,sign-in-secrets,sign-in.slow,signup-grants.slow}.test.ts',
  'proxy/metering':
    'test/proxy/{backend-faults,delivery,free-answers,known-answer,metering,query-cache.slow,posted,rate-subject,refusals,small-answers}.test.ts',
  'proxy/serve':
    'test/proxy/{backend-faults,content-coding,delivery,free-answers,known-answer,metering,posted,refusals,representations,row-formats,small-answers}.test.ts',
  'shards/matrix': 'test/shards/{codecs,matrix}.test.ts',
  'shards/store': 'test/shards/{folder-store,https-store,locks,wire-faults.slow}.test.ts',
};
const FOLDER = path.resolve('node_modules/.cache/mutation');

/**
 * `npm run mutate -- FOLDER [FILE [TESTS]]`: prints surviving mutants and the share that was killed;
 * for a single file of the folder, or with other tests than the folder's.
 */
const [room, file = '**/*.ts', tests = ROOMS[room]] = process.argv.slice(2);
if (ROOMS[room] === undefined) {
  process.stderr.write(`name a folder: ${Object.keys(ROOMS).join(', ')}\n`);
  process.exit(2);
}
process.env.ROOM_TESTS = tests;
const name = [room, ...(file === '**/*.ts' ? [] : [file])].join('-').replaceAll('/', '-');
await new Stryker({
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  mutate: [`${room}/${file}`],
  concurrency: Number(process.env.MUTATION_CONCURRENCY ?? 2),
  // Requires a different type checker interface than the installed one.
  tsconfigFile: 'none',
  tempDirName: path.join(FOLDER, 'sandbox'),
  ignorePatterns: ['dist', 'var', 'test/data'],
  incremental: true,
  incrementalFile: path.join(FOLDER, `${name}.json`),
  reporters: ['clear-text', 'html', ...(process.stdout.isTTY ? ['progress'] : [])],
  htmlReporter: { fileName: path.join(FOLDER, `${name}.html`) },
  clearTextReporter: { allowColor: false, reportTests: false },
}).runMutationTest();
