import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Command } from 'commander';
import type { Ledger } from '../../../proxy/ledger/ledger.ts';
import { parseLedgerAddress } from '../../../proxy/ledger/ledger-address.ts';
import { exportLines, importLines, NotAnExport } from '../../../proxy/ledger/transfer.ts';
import { counted } from '../../../shards/number-words.ts';
import { UsageError } from '../../errors.ts';
import { ledgerSchema } from '../../settings/locations.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { tell } from '../print.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';
import { requireLedger, runWithLedger } from '../with-ledger.ts';

/** File mode: readable by the owner only, since the file holds secrets and account data. */
const PRIVATE_FILE = 0o600;

const HELP = `
Transfers accounts, keys (as hashes), grants, usage, audit trails, charges and responses stored for
Idempotency-Keys, payment events, and the ledger's secrets, which links to exports are signed with.
Stop the servers of both ledgers first, or changes made meanwhile may be lost. Not transferred:
sign-in sessions and mailed codes (users sign in again), and current rate-limit counters. Importing
a second time changes nothing. The file contains secrets and responses: keep it private, and delete
it afterwards.`;

const RESTORE_HELP = `
Stop every server and portal on the ledger first. The ledger that is replaced is kept next to the
new one. What was bought and used since the backup is not in it: run tta portal reconcile to grant
what was paid at Stripe.`;

export function addMoveAccountsCommands(accounts: Command): void {
  const command = (name: string, description: string) =>
    addSettings(accounts.command(name).description(description), ledgerSchema);
  command('export', 'Export a whole ledger as JSON lines, for import into another.')
    .argument('[file]', 'a new file (default: standard output)')
    .addHelpText('after', HELP)
    .action((file: string | undefined, flags: Flags) =>
      runWithLedger(flags, (ledger) => exportTo(ledger, file)),
    );
  command('import', 'Import accounts of another ledger that do not exist here yet.')
    .argument('[file]', 'a file written by export (default: standard input)')
    .addHelpText('after', HELP)
    .action((file: string | undefined, flags: Flags) =>
      runWithLedger(flags, (ledger) => importFrom(ledger, file), { mayCreate: true }),
    );
  command('backup', 'Copy a SQLite ledger, as of one moment, while servers use it.')
    .argument('<file>', 'a new file')
    .action((file: string, flags: Flags) => run(() => backUpTo(file, flags)));
  command('restore', 'Replace a SQLite ledger by a backup.')
    .argument('<file>', 'a file written by backup')
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, flags: Flags) => run(() => restoreFrom(file, flags)));
}

async function backUpTo(file: string, flags: Flags): Promise<void> {
  const { LEDGER } = readSettings(ledgerSchema, flags);
  const directory = folderOf(LEDGER, 'Redis keeps its own backups (BGSAVE)');
  requireLedger(LEDGER);
  const { backUpLedger } = await import('../../../proxy/ledger/sqlite/backup.ts');
  try {
    const { accounts, tokens } = await backUpLedger(directory, file);
    tell(`backup: ${counted(accounts, 'account')} with ${counted(tokens, 'token')} in ${file}`);
  } catch (error) {
    throw usageErrorOf(error, file);
  }
}

async function restoreFrom(file: string, flags: Flags): Promise<void> {
  const { LEDGER } = readSettings(ledgerSchema, flags);
  const directory = folderOf(LEDGER, 'import an export into it instead');
  const { restoreLedger } = await import('../../../proxy/ledger/sqlite/backup.ts');
  try {
    const { accounts, tokens, replaced } = await restoreLedger(directory, file);
    const kept = replaced === null ? '' : `; the replaced ledger is kept as ${replaced}`;
    tell(`restore: ${counted(accounts, 'account')} with ${counted(tokens, 'token')}${kept}`);
  } catch (error) {
    throw usageErrorOf(error, file);
  }
}

/** Returns the folder of a SQLite ledger; throws a `UsageError` with `advice` for another one. */
function folderOf(address: string, advice: string): string {
  const parsed = parseLedgerAddress(address);
  if (parsed.kind === 'sqlite') return parsed.directory;
  throw new UsageError(`${parsed.shown}: is not a SQLite ledger; ${advice}`);
}

async function exportTo(ledger: Ledger, file: string | undefined): Promise<void> {
  const out = file === undefined ? process.stdout : await newFile(file);
  const stage = terminalProgress(process.stderr).start('export', null, 'accounts');
  const lines = exportLines(ledger, stage.at);
  let next = await lines.next();
  for (; !next.done; next = await lines.next()) await written(out, `${next.value}\n`);
  const { accounts, tokens } = next.value;
  if (out !== process.stdout) await new Promise<void>((resolve) => out.end(resolve));
  stage.finish(`${counted(accounts, 'account')} with ${counted(tokens, 'token')}`);
}

async function importFrom(ledger: Ledger, file: string | undefined): Promise<void> {
  const input = file === undefined ? process.stdin : createReadStream(file);
  const stage = terminalProgress(process.stderr).start('import', null, 'accounts');
  try {
    // Iteration alone would treat an unreadable file as an empty one.
    const failed = new Promise<never>((_, reject) => input.once('error', reject));
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    const taken = importLines(ledger, lines, stage.at);
    const { accounts, tokens, alreadyThere } = await Promise.race([taken, failed]);
    stage.finish(
      `${counted(accounts, 'account')} with ${counted(tokens, 'token')} imported, ${alreadyThere} already existed`,
    );
  } catch (error) {
    const name = file ?? 'standard input';
    if (error instanceof NotAnExport) throw new UsageError(`${name}: ${error.message}`);
    throw usageErrorOf(error, name);
  }
}

async function newFile(file: string): Promise<NodeJS.WritableStream> {
  try {
    return (await open(file, 'wx', PRIVATE_FILE)).createWriteStream();
  } catch (error) {
    throw usageErrorOf(error, file);
  }
}

/** Returns a `UsageError` for an unusable file, and other errors unchanged. */
function usageErrorOf(error: unknown, file: string): unknown {
  const { code, syscall, path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  if (code === undefined || !['link', 'mkdtemp', 'open', 'read', 'write'].includes(syscall ?? ''))
    return error;
  const reason =
    { EEXIST: 'already exists', ENOENT: 'no such file' }[code ?? ''] ?? `cannot be used (${code})`;
  // The name of a temporary folder says nothing.
  const shown = syscall === 'mkdtemp' ? file : (dest ?? path ?? file);
  return new UsageError(`${shown}: ${reason}`);
}

/** Writes text, and waits for a slower reader. */
async function written(out: NodeJS.WritableStream, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    out.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
