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
const DRAWN = 50;

/** The outcome of a run. */
export interface FuzzReport extends Omit<Tally, 'faults'> {
  /** Discrepancies with the ledger, and the first few kinds of errors in responses. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  readonly seconds: number;
}

const MAX_FAULTS_TOLD = 20;

/**
 * Sends the given number of random requests, valid and invalid, to the service as a separate
 * process with its own ledger, on connections that each wait for their responses; then closes it
 * and compares the ledger with the responses. Equal seeds send equal requests, except for those
 * that follow from responses.
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
    // Test runners set their own value.
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
  const inResponses = Array.from(tally.faults, ([fault, { count, shownBy }]) => {
    return `${fault} (${count} times); ${shownBy}`;
  });
  return {
    ...tally,
    seconds,
    faults: [...inBooks, ...inResponses.slice(0, MAX_FAULTS_TOLD)],
    faultCount:
      inBooks.length + Array.from(tally.faults.values()).reduce((n, { count }) => n + count, 0),
  };
}

/** Picks mostly clients that can pay, which come first. */
function pickAsker(waiters: readonly Asker[], random: Random): Asker {
  return random.pick(random.chance(0.8) ? waiters.slice(0, 8) : waiters.slice(8));
}
