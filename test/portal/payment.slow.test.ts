import { newSqliteLedgers } from '../support/new-ledgers.ts';
import { paymentOrderSuite } from './payment-order-suite.ts';
import { paymentSuite } from './payment-suite.ts';

const newAddress = newSqliteLedgers();

paymentSuite('SQLite', newAddress);
paymentOrderSuite('SQLite', newAddress);
