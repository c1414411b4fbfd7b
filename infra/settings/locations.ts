import { z } from 'zod';
import {
  LEDGER_FORMS,
  ledgerAddressFault,
  withoutPassword,
} from '../../portal/accounts/ledger-address.ts';
import { shownLocation, storeFault } from '../../shards/store/store-location.ts';
import { setting } from './setting.ts';
import { checkedSetting } from './setting-types.ts';

/** Where things are kept: releases, accounts. */
export const STORE = setting(checkedSetting(storeFault), {
  says: 'the releases: a folder, s3://bucket/prefix or, to read only, https://host/prefix',
  value: '<store>',
  shown: shownLocation,
});

export const LEDGER = setting(checkedSetting(ledgerAddressFault), {
  says: `the accounts: ${LEDGER_FORMS}`,
  value: '<ledger>',
  flag: '--ledger',
  secret: true,
  shown: withoutPassword,
});

/** What a command on a store is set by. */
export const storeSchema = z.object({ STORE });
/** What a command on a ledger is set by. */
export const ledgerSchema = z.object({ LEDGER });
