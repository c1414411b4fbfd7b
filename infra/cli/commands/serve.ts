import closeWithGrace from 'close-with-grace';
import { type Command, Option } from 'commander';
import { serveSettings } from '../../environment.ts';
import { serve } from '../../serve.ts';
import { packageVersion } from '../package-version.ts';
import { run } from '../run.ts';

const CLOSE_WITHIN_MS = 10_000;

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Serve the HTTP API over a store and a ledger.')
    .addOption(
      new Option('--store <store>', 'the folder of the store').env('STORE').makeOptionMandatory(),
    )
    .addOption(
      new Option('--ledger <ledger>', 'the accounts: lmdb:DIR').env('LEDGER').makeOptionMandatory(),
    )
    .addOption(new Option('--port <port>', 'the port to listen on (default: 8080)').env('PORT'))
    .addOption(
      new Option('--host <host>', 'the address to listen on (default: 127.0.0.1)').env('HOST'),
    )
    .addHelpText(
      'after',
      '\nEnvironment: BASE_URL, PROBLEM_BASE, RATE_LIMIT_PER_MINUTE, FREE_RATE_LIMIT_PER_MINUTE,\n  CURSOR_SECRETS (one or two, comma-separated), ANSWER_CACHE_BYTES, TRUST_PROXY, LOG_LEVEL',
    )
    .action((flags) =>
      run(async () => {
        const serving = await serve(serveSettings(flags, packageVersion()));
        closeWithGrace({ delay: CLOSE_WITHIN_MS }, () => serving.close());
        const { manifest } = serving.releases.current;
        process.stdout.write(`serving release ${manifest.release} on ${serving.address}\n`);
      }),
    );
}
