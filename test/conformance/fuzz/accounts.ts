import type { AccountId } from '../../../proxy/ledger/accounts.ts';
import { openCustomer, totalsOf, withLedger } from '../../support/account-totals.ts';
import { BY } from '../../support/customers.ts';
import type { Tally } from './lane.ts';
import type { Asker } from './worth.ts';

/** A client whose account is in the ledger. */
interface Opened extends Asker {
  readonly account: AccountId | null;
}

const RICH = 1e12;
/** Tokens that are spent long before a run ends. */
const POOR = 2_000;

/** All clients: some that can pay, one member, one that cannot pay, and unauthorized ones. */
export async function openFuzzAccounts(folder: string): Promise<Opened[]> {
  return withLedger(folder, async (ledger) => {
    const opened = async (name: string, tokens: number, isMember = false): Promise<Opened> => {
      const { account, key } = await openCustomer(ledger, { tokens, isMember });
      return { name, account, isMember, isAdmitted: true, authorization: `Bearer ${key}` };
    };
    const rich: Opened[] = [];
    for (let i = 0; i < 6; i++) rich.push(await opened(`rich ${i}`, RICH));
    const disabled = await opened('disabled', RICH);
    await ledger.setDisabled(disabled.account!, true, BY);
    const revoked = await opened('revoked', RICH);
    const [key] = await ledger.keys(revoked.account!);
    await ledger.revokeKey(revoked.account!, key.id, BY);
    const refused = (clientId: Opened): Opened => ({ ...clientId, isAdmitted: false });
    const typed = String(rich[0].authorization);
    const mistyped = typed.slice(0, -1) + (typed.endsWith('a') ? 'b' : 'a');
    const unknown = (name: string, authorization: string | null): Opened => {
      return { name, authorization, account: null, isAdmitted: false, isMember: false };
    };
    return [
      ...rich,
      await opened('member', RICH, true),
      await opened('poor', POOR),
      await opened('empty', 0),
      refused(disabled),
      refused(revoked),
      unknown('mistyped', mistyped),
      unknown('garbled', 'Basic \xe9\xff ,;'),
      unknown('nobody', null),
    ];
  });
}

/** Differences between charged, debited and delivered amounts, after the service is closed. */
export async function faultsInBooks(
  folder: string,
  waiters: readonly Opened[],
  { charged }: Tally,
): Promise<string[]> {
  return withLedger(folder, async (ledger) => {
    const faults: string[] = [];
    for (const { name, account } of waiters) {
      const said = charged.get(name) ?? { tokens: 0, worth: 0, responses: 0 };
      if (account === null) {
        if (said.tokens !== 0) faults.push(`${name} was charged ${said.tokens}`);
        continue;
      }
      const { granted, used, requests, balance } = await totalsOf(ledger, account);
      const sums = { charged: said.tokens, debited: used, delivered: said.worth };
      const isOne = used === said.tokens && used === said.worth && granted - used === balance;
      if (!isOne || requests !== said.responses) {
        faults.push(
          `${name}: ${JSON.stringify({ ...sums, granted, balance, requests, paid_responses: said.responses })}`,
        );
      }
    }
    return faults;
  });
}
