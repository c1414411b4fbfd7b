import { Command } from 'commander';
import { packageVersion } from './package-version.ts';

/**
 * Loaders of the commands, in the order of use. Each command is loaded only when used: the builder
 * takes most of a second.
 */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  fetch: async () => (await import('./commands/fetch.ts')).addFetchCommand,
  demo: async () => (await import('./commands/demo.ts')).addDemoCommand,
  build: async () => (await import('./commands/build.ts')).addBuildCommand,
  plan: async () => (await import('./commands/plan.ts')).addPlanCommand,
  worker: async () => (await import('./commands/worker.ts')).addWorkerCommand,
  export: async () => (await import('./commands/export.ts')).addExportCommands,
  serve: async () => (await import('./commands/serve.ts')).addServeCommand,
  portal: async () => (await import('./commands/portal.ts')).addPortalCommand,
  keys: async () => (await import('./commands/keys.ts')).addKeysCommands,
  accounts: async () => (await import('./commands/accounts.ts')).addAccountsCommands,
  release: async () => (await import('./commands/release.ts')).addReleaseCommands,
  inspect: async () => (await import('./commands/inspect.ts')).addInspectCommand,
  mcp: async () => (await import('./commands/mcp.ts')).addMcpCommand,
};

/**
 * Creates the `tta` command: with only the requested subcommand, or with all of them for help and
 * errors.
 */
export async function createProgram(asked: string | undefined): Promise<Command> {
  const program = new Command('tta')
    .description('Travel times from every US census block to everything that matters.')
    .version(packageVersion())
    .showHelpAfterError('(tta --help lists the commands, tta COMMAND --help its options)');
  const isKnown = asked !== undefined && Object.hasOwn(COMMANDS, asked);
  for (const name of isKnown ? [asked] : Object.keys(COMMANDS)) (await COMMANDS[name]())(program);
  return program;
}
