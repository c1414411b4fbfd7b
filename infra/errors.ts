import { BuildError } from '../builder/errors.ts';
import { PaymentUnavailable } from '../portal/payment/billing-context.ts';
import { LedgerUnavailable } from '../proxy/ledger/ledger.ts';
import { ShardError, StoreError } from '../shards/errors.ts';
import { asShown } from '../shards/shown-text.ts';

/** An error that the user can fix without reading code, such as a wrong flag or value. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An error in the command line or in a setting, whatever the files and the store hold. */
export class ArgumentError extends UsageError {}

const EXPECTED = [
  BuildError,
  UsageError,
  StoreError,
  ShardError,
  LedgerUnavailable,
  PaymentUnavailable,
];

/** Message for an error, as shown to the user. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (EXPECTED.some((kind) => error instanceof kind)) return oneLine(error.message);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    const { port } = error as NodeJS.ErrnoException & { port?: number };
    return `port ${port} is in use; choose another: PORT, for the portal PORTAL_PORT, or --port of a tta command`;
  }
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo') {
    return `${oneLine(error.message)}; choose another address with --host or HOST, or another port`;
  }
  return `internal error, please report it: ${error.stack ?? error.message}`;
}

function oneLine(text: string): string {
  return asShown(text.replaceAll(/\s*\n\s*/g, ' '));
}
