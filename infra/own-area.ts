import { Command } from 'commander';
import type { BuildRequest } from '../builder/build-request.ts';
import type { Progress } from '../builder/progress.ts';
import { type AreaFlags, addArea, folderNameOf, readArea } from './cli/area-options.ts';
import { fetchArea } from './cli/commands/fetch.ts';
import { addFeeds, type FeedFlags, readFeeds, readInputs } from './cli/input-options.ts';
import { UsageError } from './errors.ts';

/** An area that `npm start` downloads, builds and serves. */
interface OwnArea {
  /** Name for its folder. */
  readonly name: string;
  /** Whether to look for newer inputs although there is a release. */
  readonly isFresh: boolean;
  /** Downloads the inputs into a folder. */
  fetchInto(folder: string, progress: Progress): Promise<BuildRequest>;
}

/** Reads the area from the arguments of `npm start`. Throws a `UsageError` if they name none. */
export function ownAreaOf(args: readonly string[]): OwnArea {
  const command = addFeeds(addArea(new Command('npm start --'))).description(
    'Downloads the public inputs of an area, builds its travel times, and serves API, portal and map.',
  );
  const flags = command
    .showHelpAfterError(
      '(ports are settings: PORT=8090 PORTAL_PORT=8091 npm start; npm start -- --help lists the options)',
    )
    .addHelpText('after', '\nExample:\n  npm start -- --place "Baltimore, MD"')
    .parse(args, { from: 'user' })
    .opts<AreaFlags & FeedFlags>();
  const area = readArea(flags);
  if (area === null) {
    throw new UsageError('name an area: --place "Baltimore, MD", --county, --state or --nation');
  }
  // A wrong value is reported before the download, not after it.
  const feeds = readFeeds(flags);
  const { places, counties, states, nation } = area;
  return {
    name: folderNameOf([...places, ...counties, ...states, ...(nation ? ['nation'] : [])].join()),
    isFresh: flags.fresh ?? false,
    async fetchInto(folder, progress) {
      await fetchArea({ area, out: folder }, { ...flags }, progress);
      const inputs = await readInputs({ inputs: folder, feedsWithoutLicence: 'keep' });
      return { ...inputs, ...feeds, release: new Date().toISOString().slice(0, 10) };
    },
  };
}
