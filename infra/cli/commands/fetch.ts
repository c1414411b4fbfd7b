import path from 'node:path';
import type { Command } from 'commander';
import {
  type Fetched,
  type FetchRequest,
  fetchInputs,
  INPUT_KINDS,
  type InputKind,
} from '../../../builder/fetch/fetch-inputs.ts';
import { hostOf } from '../../../builder/fetch/host-guard.ts';
import type { Progress } from '../../../builder/progress.ts';
import { ROUTING_OPTIONS } from '../../../builder/routing-parameters.ts';
import { ArgumentError } from '../../errors.ts';
import { fetchSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import {
  type AreaFlags,
  addArea,
  confirmOnTerminal,
  folderNameOf,
  readArea,
} from '../area-options.ts';
import { commaList } from '../comma-list.ts';
import { parseRouting } from '../input-options.ts';
import { packageVersion } from '../package-version.ts';
import { print, tell } from '../print.ts';
import { runResumable } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

const BIKE_SPEED = ROUTING_OPTIONS.bike_speed_kmh;

interface FetchFlags extends AreaFlags, Flags {
  out?: string;
  only?: string;
  gtfs?: string[];
  bikeSpeed?: string;
  overtureRelease?: string;
  allowHosts?: string[];
}

export function addDownload(command: Command): Command {
  return addArea(command)
    .option('--only <inputs>', `any of ${INPUT_KINDS.join(', ')}, comma-separated (default: all)`)
    .option('--overture-release <label>', 'such as 2025-10-22.0 (default: the latest)')
    .option(
      '--allow-hosts <hosts...>',
      'private hosts that the catalogue and redirects may point to, such as 10.1.2.3:8080; hosts in other flags are allowed',
    );
}

export function defineFetch(command: Command): void {
  addDownload(command)
    .option(
      '--out <dir>',
      'output folder; unchanged files in it are kept (default: named after the area)',
    )
    .option('--gtfs <urls...>', 'feeds to use instead of those in the catalogue')
    .option(
      `${BIKE_SPEED.flag} <${BIKE_SPEED.unit}>`,
      `the cycling speed of builds, whose reach is downloaded (default: ${BIKE_SPEED.usual})`,
    )
    .addHelpText(
      'after',
      '\nHTTP_PROXY, HTTPS_PROXY and NO_PROXY are respected.\n\nExamples:\n  tta fetch --place "Baltimore, MD"\n  tta fetch --county 24510 24005 --out ./inputs\n  tta fetch --state MD DC --contact ops@example.org --yes',
    );
  addSettings(command, fetchSchema).action((flags: FetchFlags) =>
    runResumable(() => fetchFiles(flags)),
  );
}

async function fetchFiles(flags: FetchFlags): Promise<void> {
  const area = readArea(flags);
  if (area === null) {
    throw new ArgumentError('name an area: --place "Baltimore, MD", --county, --state or --nation');
  }
  const [first] = [...area.places, ...area.counties, ...area.states, 'nation'];
  const out = flags.out ?? `./${folderNameOf(first.split(',')[0])}`;
  const { inputs } = await fetchArea({ area, out }, flags, terminalProgress(process.stderr));
  const { osm, gtfs, blocks, places, pois, weights, addresses } = inputs;
  const isEnough = osm.length > 0 && blocks.length > 0;
  const files = [
    ...osm,
    ...gtfs.map(({ file }) => file),
    ...blocks,
    ...places,
    ...pois,
    ...weights,
    ...addresses.filter((file) => !osm.includes(file)),
  ];
  const speed = flags.bikeSpeed === undefined ? '' : ` ${BIKE_SPEED.flag} ${flags.bikeSpeed}`;
  print(...(isEnough ? [buildCommand(out) + speed] : files.map((file) => path.join(out, file))));
}

/** Fetches the inputs of an area into a folder as flags and settings say, and prints warnings. */
export async function fetchArea(
  { area, out }: Pick<FetchRequest, 'area' | 'out'>,
  flags: FetchFlags,
  progress: Progress,
): Promise<Fetched> {
  const set = readSettings(fetchSchema, flags);
  const contact = set.FETCH_CONTACT === undefined ? '' : ` (${set.FETCH_CONTACT})`;
  const { bike_speed_kmh: bikeSpeed } = parseRouting({ bikeSpeed: flags.bikeSpeed });
  const request = {
    area,
    out,
    inputs: parseInputs(flags.only),
    gtfs: (flags.gtfs ?? []).map((url) => parseUrl('--gtfs', url)),
    overtureRelease: parseRelease(flags.overtureRelease),
    allowedHosts: (flags.allowHosts ?? []).map(parseHost),
    fresh: flags.fresh ?? false,
    ...(bikeSpeed !== undefined && { bikeSpeed }),
    ...(!flags.yes && { confirm: confirmOnTerminal }),
    http: { userAgent: `tta-fetch/${packageVersion()}${contact}` },
    services: {
      geofabrik: set.GEOFABRIK_URL,
      census: set.CENSUS_URL,
      lodes: set.LODES_URL,
      mobility: set.MOBILITY_URL,
      overture: set.OVERTURE_URL,
    },
  };
  const fetched = await fetchInputs(request, progress);
  const { remarks, withoutWeights } = fetched;
  tell(...remarks.map((remark) => `warning: transit feeds: ${remark}`));
  tell(...withoutWeights.map((table) => `warning: weights not downloaded: ${table}`));
  return fetched;
}

/** The command that builds a release from the files in a folder, for a shell. */
export function buildCommand(folder: string): string {
  return `npx tta build --inputs ${quoted(folder)} --out ./store`;
}

/** Quotes a path for a shell where necessary. */
function quoted(folder: string): string {
  return /^[\w./:@%+=,-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
}

function parseInputs(text: string | undefined): readonly InputKind[] {
  if (text === undefined) return INPUT_KINDS;
  return commaList(text).map((word) => {
    const kind = INPUT_KINDS.find((known) => known === word);
    if (kind !== undefined) return kind;
    throw new ArgumentError(`--only: "${word}" is not one of ${INPUT_KINDS.join(', ')}`);
  });
}

function parseUrl(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new ArgumentError(`${flag}: "${text}" is not a URL starting with http:// or https://`);
}

/** Parses a host name or address, with or without a port, as in a URL. */
function parseHost(text: string): string {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null;
  if (url === null || !/^[^/?#@]+$/.test(text)) {
    throw new ArgumentError(`--allow-hosts: "${text}" is not a host such as 10.1.2.3:8080`);
  }
  return /:\d+$/.test(text) ? hostOf(url) : url.hostname;
}

function parseRelease(label: string | undefined): string | null {
  if (label === undefined || /^\d{4}-\d\d-\d\d\.\d+$/.test(label)) return label ?? null;
  throw new ArgumentError(`--overture-release: "${label}" is not a release such as 2025-10-22.0`);
}
