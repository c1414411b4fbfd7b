import { Command } from 'commander';
import { packageVersion } from './package-version.ts';
import { exitAsTyped } from './run.ts';
import { SettingOption } from './setting-options.ts';

/** Columns of help text beside the longest option, below which the library would not wrap it. */
const NARROWEST_HELP = 30;

interface CommandEntry {
  readonly description: string;
  readonly define: () => Promise<(command: Command) => void>;
}

/**
 * The commands, in the order of use. The code of a command is loaded only when the command is used,
 * since the builder takes most of a second.
 */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  fetch: {
    description:
      'Download public input data of an area: streets, census, transit, POIs, jobs and groups.',
    define: async () => (await import('./commands/fetch.ts')).defineFetch,
  },
  demo: {
    description:
      'Generate input data for a fictional city in the real formats: PBF, GTFS, TIGER shapefiles.',
    define: async () => (await import('./commands/demo.ts')).defineDemo,
  },
  scenario: {
    description: 'Change a GTFS feed as a file says: lines, headways, span, speed, stops.',
    define: async () => (await import('./commands/scenario.ts')).defineScenario,
  },
  build: {
    description: 'Build a release from open data and publish it to a store.',
    define: async () => (await import('./commands/build.ts')).defineBuild,
  },
  refresh: {
    description:
      'Download what is new, build what changed, and publish it unless too much is lost; for a timer.',
    define: async () => (await import('./commands/refresh.ts')).defineRefresh,
  },
  plan: {
    description: 'Plan a build, and show its units.',
    define: async () => (await import('./commands/plan.ts')).definePlan,
  },
  worker: {
    description: 'Run build jobs from a queue until stopped.',
    define: async () => (await import('./commands/worker.ts')).defineWorker,
  },
  export: {
    description:
      'Write the tables of the current release as Parquet, CSV, GeoJSON or FlatGeobuf files.',
    define: async () => (await import('./commands/export.ts')).defineExport,
  },
  serve: {
    description: 'Serve the HTTP API over a store and a ledger.',
    define: async () => (await import('./commands/serve.ts')).defineServe,
  },
  portal: {
    description: 'Serve the portal over a ledger: sign-in, keys, usage, payment.',
    define: async () => (await import('./commands/portal.ts')).definePortal,
  },
  keys: {
    description: 'Manage API keys.',
    define: async () => (await import('./commands/keys.ts')).defineKeys,
  },
  accounts: {
    description: 'Manage accounts and their tokens.',
    define: async () => (await import('./commands/accounts.ts')).defineAccounts,
  },
  release: {
    description: 'List, verify, compare, promote and remove the releases in a store.',
    define: async () => (await import('./commands/release.ts')).defineRelease,
  },
  inspect: {
    description: 'Describe and verify a store object.',
    define: async () => (await import('./commands/inspect.ts')).defineInspect,
  },
  mcp: {
    description: 'Serve the API to an AI assistant: MCP over standard input and output.',
    define: async () => (await import('./commands/mcp.ts')).defineMcp,
  },
};

/**
 * Creates the `tta` command with all of its subcommands. Only the subcommand that the arguments
 * name, or request help for, gets its options and its action.
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const requested = args[0] === 'help' ? args[1] : args[0];
  const program = new Command('tta')
    .description('Travel times from every US census block to everything that matters.')
    .version(packageVersion())
    .configureHelp({ minWidthToWrap: NARROWEST_HELP })
    .exitOverride(exitAsTyped)
    .showHelpAfterError('(tta --help lists the commands, tta COMMAND --help its options)');
  for (const [name, { description, define }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(description);
    if (name === requested) (await define())(command);
  }
  return program.hook('preAction', (_, command) => refuseEmpty(command));
}

/**
 * Refuses options with an empty value, such as that of an unset variable, rather than using their
 * defaults.
 */
export function refuseEmpty(command: Command): void {
  for (const option of command.options) {
    if (option instanceof SettingOption) continue;
    const values = [command.getOptionValue(option.attributeName())].flat();
    if (values.includes('')) {
      command.error(`error: option '${option.flags}' is empty: give a value, or leave it out`);
    }
  }
}
