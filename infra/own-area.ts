import { Command } from 'commander';
import type { BuildRequest } from '../builder/build-request.ts';
import type { Progress } from '../builder/progress.ts';
import { type AreaFlags, addArea, folderNameOf, readArea } from './cli/area-options.ts';
import { fetchArea } from './cli/commands/fetch.ts';
import { addFeeds, type FeedFlags, readFeeds, readInputs } from './cli/input-options.ts';
import { UsageError } from './errors.ts';

/** The arguments of `npm start`. */
interface StartArguments {
  /** Null for the release that is there, or else the demo city. */
  readonly area: OwnArea | null;
  /** The settings that the arguments give, by name. */
  readonly settings: Readonly<Record<string, string>>;
}

/** An area that `npm start` downloads, builds and serves. */
interface OwnArea {
  /** Name for its folder. */
  readonly name: string;
  /** Whether to look for newer inputs although there is a release. */
  readonly isFresh: boolean;
  /** Downloads the inputs into a folder. */
  fetchInto(folder: string, progress: Progress): Promise<BuildRequest>;
}

/**
 * Reads the arguments of `npm start`. Throws a `UsageError` if they choose how to build an area,
 * but name none.
 */
export function readStartArguments(args: readonly string[]): StartArguments {
  const command = addFeeds(addArea(new Command('npm start --')))
    .description(
      'Downloads the public inputs of an area, builds its travel times, and serves API, portal and map; without an area, those of a fictional demo city.',
    )
    .option('--port <port>', 'port of the API, as the setting PORT')
    .option('--portal-port <port>', 'port of the portal, as the setting PORTAL_PORT');
  command
    .showHelpAfterError(
      '(npm start -- --help lists the options; further settings are environment variables)',
    )
    .addHelpText('after', '\nExample:\n  npm start -- --place "Baltimore, MD"')
    .parse(args, { from: 'user' });
  const { port, portalPort, ...ofArea } = command.opts<
    AreaFlags & FeedFlags & { readonly port?: string; readonly portalPort?: string }
  >();
  const settings = {
    ...(port !== undefined && { PORT: port }),
    ...(portalPort !== undefined && { PORTAL_PORT: portalPort }),
  };
  const area = readArea(ofArea);
  const given = Object.keys(ofArea).some((name) => command.getOptionValueSource(name) === 'cli');
  if (area === null && !given) return { area, settings };
  if (area === null) {
    throw new UsageError('name an area: --place "Baltimore, MD", --county, --state or --nation');
  }
  // A wrong value is reported before the download, not after it.
  const feeds = readFeeds(ofArea);
  const { places, counties, states, nation } = area;
  const own: OwnArea = {
    name: folderNameOf([...places, ...counties, ...states, ...(nation ? ['nation'] : [])].join()),
    isFresh: ofArea.fresh ?? false,
    async fetchInto(folder, progress) {
      await fetchArea({ area, out: folder }, { ...ofArea }, progress);
      const inputs = await readInputs({ inputs: folder, feedsWithoutLicence: 'keep' });
      return { ...inputs, ...feeds, release: new Date().toISOString().slice(0, 10) };
    },
  };
  return { area: own, settings };
}
