import { type AccountId, type KeyIssue, type KeyOrder, WITHOUT_END } from '../accounts.ts';
import { requireGrant } from '../bookkeeping.ts';
import { accountIdByEmail, openAccount, setMembership } from './accounts.ts';
import { grant } from './balances.ts';
import type { LedgerBatch } from './batch.ts';
import type { Books } from './books.ts';
import { createKey, hasRoom } from './keys.ts';
import { takeLimited } from './sign-ins.ts';

export function issueKey(batch: LedgerBatch, order: KeyOrder): KeyIssue {
  const { owner, label, by, atMs } = order;
  const known = 'id' in owner ? owner.id : ownerOf(batch.books, owner.email);
  // All checks precede the first change.
  if (known !== undefined) {
    if (batch.account(known).closedAtMs !== null) return { created: false, reason: 'closed' };
    if (!hasRoom(batch.books, known)) return { created: false, reason: 'too-many-keys' };
  }
  if (order.grant) requireGrant(order.grant);
  if (known !== undefined && order.rate) {
    const { allowed, rate } = takeLimited(batch, `keys of ${known}`, order.rate, atMs);
    if (!allowed) return { created: false, reason: 'rate-limited', rate };
  }

  const email = 'id' in owner ? null : owner.email;
  const id = known ?? openAccount(batch, { email, grant: order.grant, by, atMs }).account.id;
  if (order.grant && known !== undefined) grant(batch, id, order.grant, by);
  if (order.member) setMembership(batch, id, WITHOUT_END, { by, atMs });
  const made = createKey(batch, id, label, { by, atMs });
  return { created: true, ...made, account: { id, ...batch.account(id) } };
}

function ownerOf(books: Books, email: string | null): AccountId | undefined {
  return email === null ? undefined : accountIdByEmail(books, email);
}
