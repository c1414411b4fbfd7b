import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge, Ledger } from '../../portal/accounts/ledger.ts';
import { Problem } from '../http/problem.ts';

/** Tokens come back when somebody buys some: nothing to wait a known time for. */
const EXHAUSTED_RETRY_SECONDS = '3600';

/** Takes a charge, and returns what is left; `tokens-exhausted` if there is not enough. */
export async function pay(ledger: Ledger, due: Charge): Promise<number> {
  const { outcome, balance } = await ledger.debit(due);
  if (outcome === 'debited') return balance;
  throw tokensExhausted(due.tokens, balance);
}

export function tokensExhausted(required: number, balance: number): Problem {
  return new Problem(
    'tokens-exhausted',
    `the answer costs ${required} tokens and ${balance} are left; nothing was charged`,
    { tokens_required: required, tokens_remaining: balance },
    { 'retry-after': EXHAUSTED_RETRY_SECONDS },
  );
}

/**
 * Undoes a payment, once, if the connection closes before the answer has left it. Call it before
 * the answer is written.
 */
export function undoUnlessDelivered(
  request: FastifyRequest,
  reply: FastifyReply,
  undo: () => Promise<void>,
): void {
  const { raw } = reply;
  const { socket } = request.raw;
  let isSettled = false;
  const delivered = () => {
    isSettled = true;
    socket.off('close', lost);
  };
  const lost = () => {
    if (isSettled) return;
    isSettled = true;
    undo().catch((error) => {
      request.log.error({ err: error, reqId: request.id }, 'refund failed');
    });
  };
  if (raw.destroyed || socket.destroyed) {
    lost();
    return;
  }
  raw.once('finish', delivered);
  // An answer that waits behind another on its connection has no socket yet, and so would never
  // hear of its end.
  if (raw.socket === null) socket.once('close', lost);
  else raw.once('close', lost);
}
