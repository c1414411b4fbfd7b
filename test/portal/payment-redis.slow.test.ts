import { newRedisLedgers } from '../support/new-ledgers.ts';
import { paymentOrderSuite } from './payment-order-suite.ts';
import { paymentSuite } from './payment-suite.ts';

const newAddress = newRedisLedgers();

paymentSuite('Redis', newAddress);
paymentOrderSuite('Redis', newAddress);
