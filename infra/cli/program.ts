import { Command } from 'commander';
import { addAccountsCommands } from './commands/accounts.ts';
import { addBuildCommand } from './commands/build.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addFetchCommand } from './commands/fetch.ts';
import { addInspectCommand } from './commands/inspect.ts';
import { addKeysCommands } from './commands/keys.ts';
import { addReleaseCommands } from './commands/release.ts';
import { addServeCommand } from './commands/serve.ts';
import { packageVersion } from './package-version.ts';

/** The `tta` command, whole. */
export function createProgram(): Command {
  const program = new Command('tta')
    .description('Travel times from every US census block to everything that matters.')
    .version(packageVersion())
    .showHelpAfterError('(tta COMMAND --help shows its options)');
  addBuildCommand(program);
  addServeCommand(program);
  addAccountsCommands(program);
  addKeysCommands(program);
  addReleaseCommands(program);
  addInspectCommand(program);
  addDemoCommand(program);
  addFetchCommand(program);
  return program;
}
