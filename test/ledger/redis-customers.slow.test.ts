import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { newRedisLedgers } from '../support/new-ledgers.ts';
import { customersModel } from './customers-model.ts';

const newAddress = newRedisLedgers();

customersModel(
  'the Redis ledger',
  () => openLedger(newAddress(), { rateLimitPerMinute: 1_000_000 }),
  4,
);
