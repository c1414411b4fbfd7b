import path from 'node:path';
import { beforeAll } from 'vitest';
import type { Ledger } from '../../proxy/ledger/ledger.ts';
import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { startRedis } from './redis-server.ts';
import { openSecondLedger } from './second-ledger.ts';
import { folderOfTests } from './temporary-folder.ts';
import { ofTests } from './test-resources.ts';

/**
 * Addresses of new, empty SQLite ledgers, whose folders are removed after the tests of the file.
 */
export function newSqliteLedgers(): () => string {
  const folder = folderOfTests();
  let ledgers = 0;
  return () => `sqlite:${path.join(folder, String(ledgers++))}`;
}

/**
 * Addresses of new, empty Redis ledgers: databases of one server, which stops after the tests of
 * the file.
 */
export function newRedisLedgers(): () => string {
  const redis = ofTests(() => startRedis());
  let databases = 0;
  return () => redis.address(databases++);
}

interface LedgersOfTests {
  readonly ledger: Ledger;
  /** `ledger`, opened again as another server would. */
  readonly other: Ledger;
  readonly address: () => string;
}

/** A ledger shared by tests, opened twice. */
export function ledgersOfTests(
  newAddress: () => string,
  options: { readonly rateLimitPerMinute: number },
): LedgersOfTests {
  let address: string;
  beforeAll(() => {
    address = newAddress();
  });
  return {
    ledger: ofTests(() => openLedger(address, options)),
    other: ofTests(() => openSecondLedger(address, options)),
    address: () => address,
  };
}
