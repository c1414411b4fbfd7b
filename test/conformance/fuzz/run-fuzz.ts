import fc from 'fast-check';
import { Random } from '../../../infra/demo/seeded-random.ts';
import { FolderStore } from '../../../shards/store/folder-store.ts';
import { startService } from '../../bench/service.ts';
import { inPlace } from '../../support/openapi.ts';
import { releaseIn } from '../../support/release-in.ts';
import { faultsInBooks, openFuzzAccounts } from './accounts.ts';
import { landmarksOf } from './landmarks.ts';
import { Lane, newTally, type Tally } from './lane.ts';
import { type ApiDocument, anyRequest } from './requests.ts';
import type { Asker } from './worth.ts';

const LANES = 32;
/** Requests that a lane draws at once. */
const DRAWN = 250;

/** What came of a run. */
export interface FuzzReport extends Omit<Tally, 'faults'> {
  /** What was wrong with answers, and where the ledger says otherwise than they; the first few. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  readonly seconds: number;
}

const MAX_FAULTS_TOLD = 20;

/**
 * Sends so many random requests, sound and broken, to the service itself, as a process of its own
 * over its own ledger, on connections that each wait for their answers; then closes it and holds
 * the ledger against what was answered. Equal seeds send equal requests, but for those that answers
 * lead to.
 */
export async function runFuzz(
  store: string,
  ledgerFolder: string,
  { requests, seed }: { readonly requests: number; readonly seed: number },
): Promise<FuzzReport> {
  const opened = new FolderStore(store);
  const { marks, pools } = await landmarksOf(await releaseIn(opened));
  await opened.close();
  const waiters = await openFuzzAccounts(ledgerFolder);
  const service = await startService(store, ledgerFolder, {
    FREE_RATE_LIMIT_PER_MINUTE: '1000000000',
    // What runs tests sets one of its own.
    BASE_URL: 'http://service.example',
  });
  const tally = newTally();
  const begun = performance.now();
  try {
    const response = await fetch(`${service.address}/openapi.json`);
    const document = inPlace((await response.json()) as ApiDocument);
    const arbitrary = anyRequest(document, marks, pools);
    const lane = async (number: number) => {
      const random = new Random(seed, number);
      const connection = new Lane(service.address, random, tally);
      for (let round = 0; tally.requests < requests; round++) {
        const drawn = fc.sample(arbitrary, {
          numRuns: DRAWN,
          seed: new Random(seed, number, round).below(2 ** 31),
        });
        for (const request of drawn) {
          if (tally.requests >= requests) break;
          await connection.ask(request, pickAsker(waiters, random));
        }
      }
      await connection.close();
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  } finally {
    await service.stop();
  }
  const seconds = (performance.now() - begun) / 1000;
  const inBooks = await faultsInBooks(ledgerFolder, waiters, tally);
  const inAnswers = Array.from(tally.faults, ([fault, { count, shownBy }]) => {
    return `${fault} (${count} times); ${shownBy}`;
  });
  return {
    ...tally,
    seconds,
    faults: [...inBooks, ...inAnswers.slice(0, MAX_FAULTS_TOLD)],
    faultCount:
      inBooks.length + Array.from(tally.faults.values()).reduce((n, { count }) => n + count, 0),
  };
}

/** Mostly those who can pay, who come first. */
function pickAsker(waiters: readonly Asker[], random: Random): Asker {
  return random.pick(random.chance(0.8) ? waiters.slice(0, 8) : waiters.slice(8));
}
