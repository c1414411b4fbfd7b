import type { Charge } from '../../proxy/ledger/metering.ts';
import type { IdempotentRequest, Replays, StoredResponse } from '../../proxy/ledger/replays.ts';

/**
 * Charges for a response and, if this is the first charge for the request, stores it, as a POST
 * does. A null response is not stored.
 */
export async function chargeAndKeep(
  ledger: Replays,
  charge: Charge,
  request: IdempotentRequest,
  response: StoredResponse | null,
): ReturnType<Replays['debitOnce']> {
  const made = await ledger.debitOnce(charge, request);
  if (made.outcome === 'debited' && response) await ledger.storeResponse(made.receipt, response);
  return made;
}
