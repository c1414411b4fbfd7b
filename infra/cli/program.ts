import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { addBuildCommand } from './commands/build.ts';
import { addInspectCommand } from './commands/inspect.ts';
import { addReleaseCommands } from './commands/release.ts';

/** The `tta` command, whole. */
export function createProgram(): Command {
  const program = new Command('tta')
    .description('Travel times from every US census block to everything that matters.')
    .version(packageVersion())
    .showHelpAfterError('(tta COMMAND --help shows its options)');
  addBuildCommand(program);
  addReleaseCommands(program);
  addInspectCommand(program);
  return program;
}

export function packageVersion(): string {
  // The compiled file lies three folders below the package, in dist/infra/cli.
  for (const up of ['../../', '../../../']) {
    try {
      const text = readFileSync(new URL(`${up}package.json`, import.meta.url), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch {}
  }
  return '0.0.0';
}
