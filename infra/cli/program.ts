import { Command } from 'commander';
import { packageVersion } from './package-version.ts';

/**
 * Loaders of the commands. Each command is loaded only when used: the builder takes most of a
 * second.
 */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  plan: async () => (await import('./commands/plan.ts')).addPlanCommand,
  build: async () => (await import('./commands/build.ts')).addBuildCommand,
  worker: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  portal: async () => (await import('./commands/portal.ts')).addPortalCommand,
  accounts: async () => (await import('./commands/accounts.ts')).addAccountsCommands,
  keys: async () => (await import('./commands/keys.ts')).addKeysCommands,
  release: async () => (await import('./commands/release.ts')).addReleaseCommands,
  export: async () => (await import('./commands/export.ts')).addExportCommands,
  mcp: async () => (await import('./commands/mcp.ts')).addMcpCommand,
  inspect: async () => (await import('./commands/inspect.ts')).addInspectCommand,
  demo: async () => (await import('./commands/demo.ts')).addDemoCommand,
  fetch: async () => (await import('./commands/fetch.ts')).addFetchCommand,
};

/**
 * Creates the `tta` command: with only the requested subcommand, or with all of them for help and
 * errors.
 */
export async function createProgram(asked: string | undefined): Promise<Command> {
  const program = new Command('tta')
    .description('Travel times from every US census block to everything that matters.')
    .version(packageVersion())
    .showHelpAfterError('(run tta COMMAND --help for its options)');
  const isKnown = asked !== undefined && Object.hasOwn(COMMANDS, asked);
  for (const name of isKnown ? [asked] : Object.keys(COMMANDS)) (await COMMANDS[name]())(program);
  return program;
}
