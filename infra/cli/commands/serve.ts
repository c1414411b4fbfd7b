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
      `
Environment:
  BASE_URL, PROBLEM_BASE        public addresses of the API and of its problem pages
  RATE_LIMIT_PER_MINUTE         requests of an account (300)
  FREE_RATE_LIMIT_PER_MINUTE    requests of an address to routes without a key (600)
  ROW_BUDGET                    rows of one batch (50000)
  ANSWER_CACHE_BYTES, HEAD_CACHE_BYTES
                                memory for finished answers, for parts of a release
  TRUST_PROXY                   how many proxies are before this one, where nothing else reaches
                                it; or their networks: loopback,10.0.0.0/8
  CURSOR_SECRETS                one or two, comma-separated; or CURSOR_SECRETS_FILE
  LOG_LEVEL                     silent, fatal, error, warn, info or debug (warn)`,
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
