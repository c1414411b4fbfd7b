import { openLedger } from '../../proxy/ledger/open-ledger.ts';
import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { customersModel } from './customers-model.ts';

const newAddress = newSqliteLedgers();

customersModel(
  'the SQLite ledger',
  () => openLedger(newAddress(), { rateLimitPerMinute: 1_000_000 }),
  6,
);
