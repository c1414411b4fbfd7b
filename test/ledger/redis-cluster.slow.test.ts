import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { startRedisCluster } from '../support/redis-server.ts';
import { ofTests } from '../support/test-resources.ts';
import { customersSuite } from './customers-suite.ts';
import { idempotencySuite } from './idempotency-suite.ts';
import { ledgerSuite } from './ledger-suite.ts';
import { signInsSuite } from './sign-ins-suite.ts';

const cluster = ofTests(() => startRedisCluster());

// A single server accepts all commands that a cluster does, so the suites are run on this one. A
// cluster has a single database, which they share.
customersSuite('the ledger on a Redis Cluster', () => cluster.address);
signInsSuite('the ledger on a Redis Cluster', () => cluster.address);
ledgerSuite('the ledger on a Redis Cluster', () => cluster.address);
idempotencySuite('the ledger on a Redis Cluster', () =>
  openLedger(cluster.address, { rateLimitPerMinute: 1_000_000 }),
);
