import { newLmdbLedgers } from '../support/new-ledgers.ts';
import { paymentOrderSuite } from './payment-order-suite.ts';
import { paymentSuite } from './payment-suite.ts';

const newAddress = newLmdbLedgers();

paymentSuite('LMDB', newAddress);
paymentOrderSuite('LMDB', newAddress);
