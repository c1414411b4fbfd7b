import { z } from 'zod';
import {
  LEDGER_FORMS,
  ledgerAddressFault,
  withoutPassword,
} from '../../proxy/ledger/ledger-address.ts';
import { shownLocation, storeFault } from '../../shards/store/store-location.ts';
import { setting } from './setting.ts';
import { checkedSetting } from './setting-types.ts';

/** The locations of releases and accounts. */
export const STORE = setting(checkedSetting(storeFault), {
  description: 'releases: a folder, s3://bucket/prefix or, read-only, https://host/prefix',
  value: '<store>',
  redact: shownLocation,
});

export const LEDGER = setting(checkedSetting(ledgerAddressFault), {
  description: `accounts: ${LEDGER_FORMS}`,
  value: '<ledger>',
  flag: '--ledger',
  secret: true,
  redact: withoutPassword,
});

export const storeSchema = z.object({ STORE });
/** Settings of commands on a ledger. */
export const ledgerSchema = z.object({ LEDGER });
