import { spawn } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { instrument, note, outcomesIn } from './mutants.js';

/**
 * Folders whose lines are mutated one at a time, and the tests that must detect each mutation:
 * those that cover the folder and take seconds.
 */
const ROOMS = {
  'builder/gtfs':
    'test/transit/{calendars,entrances,feed-heads,feed-sources,feeds.slow,headways,ordinary-days,service-day-choice.slow,service-day-votes,service-days,service-times,stations.slow,stop-tables,stop-times,tables,transfers.slow,trip-runs}.test.ts',
  'builder/streets': 'test/{search/street-graph,streets/*}.test.ts',
  'builder/transit':
    'test/transit/{continuations-among,door-to-door,egress,fastest-departures,feed-day,footpaths,frequent-stops,journeys,patterns-among,reduced-ways,small-networks,station-levels,stop-reach,stop-walks,timetable,transfer-rules,transit-clock,trip-transfers}.test.ts',
  'proxy/ledger':
    'test/ledger/{api-key,bookkeeping,entries,intercepted-ledger,kept-secrets,open-ledger,ledger-address,ledger-export,ledger-folder,mailbox,merged-debits,nonsense,rate-window,redis-customers.slow,redis-entries.slow,redis-errors,redis-ledger.slow,redis-once,redis-opening.slow,sealed-text,shared-commits,sqlite-books,sqlite-customers,sqlite-files,sqlite-ledger.slow,stored-responses.slow}.test.ts',
  'portal/payment':
    'test/portal/{billing.slow,checkouts,closings,event-worker,memberships,opened-payment,payment-outage.slow,payment.slow,purchases,reconciled,reversals,settled-memberships,settled-purchases,stripe-client,webhook-events}.test.ts',
  'portal/sign-in':
    'test/portal/{attacks.slow,email-address,mail.slow,own-account,sign-in-mail,sign-in-secrets,sign-in.slow,signup-grants.slow}.test.ts',
  'proxy/metering':
    'test/proxy/{authorize,backend-faults,delivery,free-responses,cached-response,idempotency,idempotent-fingerprint,metering,open-charges,query-cache,query-cache.slow,posted,rate-subject,refusals,small-responses}.test.ts',
  'proxy/execute.ts':
    'test/{conformance/{isochrone,table/{formats.slow,free-figures.slow,metering.slow},tiles},proxy/{cached-response,content-coding,delivery,free-responses,idempotency,posted,waiting-posts}}.test.ts',
  'proxy/serve':
    'test/{conformance/{isochrone,table/{formats.slow,metering.slow},tiles},proxy/{cached-response,delivery,export-list,exported-files,free-responses,posted,tile-archives,waiting-posts}}.test.ts',
  'shards/matrix': 'test/shards/{codecs,matrix}.test.ts',
  'shards/store':
    'test/shards/{envelope,folder-files,folder-store,http-reads,https-store.slow,instrumented-store,locks,retried-reads,s3-objects,s3-refusals,scratch-file,spool,store-locations}.test.ts',
  'shards/transit':
    'test/{proxy/journey-legs,shards/transit-table,transit/{journeys,small-networks,stop-reach,timetable}}.test.ts',
};
const FOLDER = path.resolve('node_modules/.cache/mutation');
/** A mutant that neither fails nor succeeds for so long is endless. */
const SILENCE_MS = 90_000;

/**
 * `npm run mutate -- FOLDER [FILES [TESTS]]`: prints surviving mutants and the share that was killed;
 * for some files of the folder, separated by commas, or with other tests than the folder's.
 * Outcomes are kept as long as a file is unchanged: only its survivors are tried again.
 */
const [room, files, tests = ROOMS[room]] = process.argv.slice(2);
if (ROOMS[room] === undefined) {
  process.stderr.write(`name a folder: ${Object.keys(ROOMS).join(', ')}\n`);
  process.exit(2);
}
const { texts, mutants } = await instrument(await sources());
const named = (suffix) => path.join(FOLDER, `${room.replaceAll('/', '-')}${suffix}`);
const [journal, run] = [named('.jsonl'), named(`-${process.pid}`)];
await mkdir(FOLDER, { recursive: true });
await writeFile(`${run}-texts.json`, JSON.stringify(texts));
await writeFile(`${run}-mutants.json`, JSON.stringify(mutants));
// The mutant at which an interrupted run stopped is tried again.
await note(journal, {});
for (let isOver = false; !isOver; ) {
  const before = await outcomesIn(journal);
  const endedByItself = await runTests();
  const { running, breaks } = await outcomesIn(journal);
  if (!endedByItself && running !== null) await note(journal, { key: running, killer: 'endless' });
  isOver = endedByItself && breaks === before.breaks;
}
report((await outcomesIn(journal)).outcomes);

async function sources() {
  if (room.endsWith('.ts')) return [room];
  const names = files?.split(',') ?? (await readdir(room, { recursive: true })).sort();
  return names.filter((name) => name.endsWith('.ts')).map((name) => path.join(room, name));
}

/** Runs the tests; false if they had to be stopped at an endless mutant. */
async function runTests() {
  const child = spawn('npx', ['vitest', 'run', '-c', 'test/mutation/vitest.config.ts'], {
    stdio: 'inherit',
    detached: true,
    env: {
      ...process.env,
      TEXTS: `${run}-texts.json`,
      MUTANTS: `${run}-mutants.json`,
      JOURNAL: journal,
      ROOM_TESTS: tests,
    },
  });
  let isStopped = false;
  const beganMs = Date.now();
  const watch = setInterval(async () => {
    const { mtimeMs } = await stat(journal).catch(() => ({ mtimeMs: 0 }));
    const { running } = await outcomesIn(journal);
    if (running === null || Date.now() - Math.max(mtimeMs, beganMs) < SILENCE_MS) return;
    isStopped = true;
    process.kill(-child.pid, 'SIGKILL');
  }, 5_000);
  await new Promise((resolve) => child.on('close', resolve));
  clearInterval(watch);
  return !isStopped;
}

function report(outcomes) {
  for (const name of Object.keys(texts)) {
    const own = mutants.filter(({ fileName }) => fileName === name);
    for (const { key, line, original, replacement } of own) {
      if (outcomes.get(key)) continue;
      const covered = outcomes.has(key) ? '' : ' (no test covers it)';
      process.stdout.write(`${name}:${line}${covered}\n- ${original}\n+ ${replacement}\n`);
    }
    printScore(name, own, outcomes);
  }
  printScore(room, mutants, outcomes);
}

function printScore(name, own, outcomes) {
  const killed = own.filter(({ key }) => outcomes.get(key)).length;
  const share = ((100 * killed) / own.length).toFixed(1);
  process.stdout.write(`${name}: ${own.length} mutants, ${killed} killed, ${share} %\n`);
}
