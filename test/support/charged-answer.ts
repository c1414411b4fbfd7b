import type { Charge } from '../../portal/accounts/metering.ts';
import type { IdempotentRequest, KeptAnswer, Replays } from '../../portal/accounts/replays.ts';

/**
 * Charges for a response and, if it was the first, stores it, as a POST does. `null`: it is not
 * stored.
 */
export async function chargeAndKeep(
  ledger: Replays,
  charge: Charge,
  request: IdempotentRequest,
  answer: KeptAnswer | null,
): ReturnType<Replays['debitOnce']> {
  const made = await ledger.debitOnce(charge, request);
  if (made.outcome === 'debited' && answer) await ledger.keepAnswer(made.receipt, answer);
  return made;
}
