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
 * Writes an answer that has been paid for. The payment is undone, once, if that fails, or if the
 * connection closes before the answer has left it.
 */
export async function writePaid(
  request: FastifyRequest,
  reply: FastifyReply,
  undo: () => Promise<void>,
  write: () => Promise<void> | void,
): Promise<void> {
  const undoNow = undoUnlessDelivered(request, reply, undo);
  try {
    await write();
  } catch (error) {
    await undoNow();
    throw error;
  }
}

/** Undoes a payment if the connection closes too early, or when the function it returns is called. */
function undoUnlessDelivered(
  request: FastifyRequest,
  reply: FastifyReply,
  undo: () => Promise<void>,
): () => Promise<void> {
  const { raw } = reply;
  const { socket } = request.raw;
  let isSettled = false;
  const settle = () => {
    isSettled = true;
    socket.off('close', lost);
  };
  const lost = async () => {
    if (isSettled) return;
    settle();
    await undo().catch((error) => {
      request.log.error({ err: error, reqId: request.id }, 'refund failed');
    });
  };
  if (raw.destroyed || socket.destroyed) {
    lost();
    return lost;
  }
  raw.once('finish', settle);
  // An answer that waits behind another on its connection has no socket yet, and so would never
  // hear of its end.
  if (raw.socket === null) socket.once('close', lost);
  else raw.once('close', lost);
  return lost;
}
