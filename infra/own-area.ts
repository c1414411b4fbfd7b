import { Command } from 'commander';
import type { BuildRequest } from '../builder/build-request.ts';
import type { AreaRequest } from '../builder/fetch/named-areas.ts';
import type { Progress } from '../builder/progress.ts';
import { type AreaFlags, addArea, folderNameOf, readArea } from './cli/area-options.ts';
import { fetchArea } from './cli/commands/fetch.ts';
import { addFeeds, type FeedFlags, readFeeds, readInputs } from './cli/input-options.ts';
import { refuseEmpty } from './cli/program.ts';
import { exitAsTyped } from './cli/run.ts';
import { ArgumentError } from './errors.ts';
import type { Flags } from './settings/read-settings.ts';

/** The arguments of `npm start`. */
interface StartArguments {
  /** Null for the release that is there, or else the demo city. */
  readonly area: OwnArea | null;
  /** Whether to build anew, from newer inputs if there are any, although there is a release. */
  readonly isFresh: boolean;
  /** How to build a release; null if no argument says so. */
  readonly build: ReturnType<typeof readFeeds> | null;
  /** The arguments that are settings. */
  readonly ports: PortFlags;
}

interface PortFlags extends Flags {
  readonly port?: string;
  readonly portalPort?: string;
}

/** An area that `npm start` downloads, builds and serves. */
interface OwnArea {
  /** Name for its folder. */
  readonly name: string;
  /** Downloads the inputs into a folder. */
  fetchInto(folder: string, progress: Progress): Promise<BuildRequest>;
}

/** Reads the arguments of `npm start`. Throws an `ArgumentError` if `--yes` has no area. */
export function readStartArguments(args: readonly string[]): StartArguments {
  const command = addFeeds(new Command('npm start --'));
  const ofBuild = command.options.map((option) => option.attributeName());
  addArea(command)
    .description(
      'Downloads the public inputs of an area, builds its travel times, and serves API, portal and map; without an area, those of a fictional demo city.',
    )
    .option('--port <port>', 'port of the API, as the setting PORT')
    .option('--portal-port <port>', 'port of the portal, as the setting PORTAL_PORT');
  command
    .exitOverride(exitAsTyped)
    .showHelpAfterError(
      '(npm start -- --help lists the options; further settings are environment variables)',
    )
    .addHelpText('after', '\nExample:\n  npm start -- --place "Baltimore, MD"')
    .parse(args, { from: 'user' });
  refuseEmpty(command);
  const { port, portalPort, ...flags } = command.opts<AreaFlags & FeedFlags & PortFlags>();
  const area = readArea(flags);
  if (area === null && flags.yes) {
    throw new ArgumentError('name an area: --place "Baltimore, MD", --county, --state or --nation');
  }
  // A wrong value is reported before the download, not after it.
  const feeds = readFeeds(flags);
  const isGiven = ofBuild.some((name) => command.getOptionValueSource(name) === 'cli');
  return {
    area: area && ownArea(area, flags),
    isFresh: flags.fresh ?? false,
    build: isGiven ? feeds : null,
    ports: { ...(port !== undefined && { port }), ...(portalPort !== undefined && { portalPort }) },
  };
}

function ownArea(area: AreaRequest, flags: AreaFlags & FeedFlags): OwnArea {
  const { places, counties, states, nation } = area;
  return {
    name: folderNameOf([...places, ...counties, ...states, ...(nation ? ['nation'] : [])].join()),
    async fetchInto(folder, progress) {
      await fetchArea({ area, out: folder }, { ...flags }, progress);
      const inputs = await readInputs({ inputs: folder, feedsWithoutLicence: 'keep' });
      return { ...inputs, release: new Date().toISOString().slice(0, 10) };
    },
  };
}
