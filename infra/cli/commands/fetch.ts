import type { Command } from 'commander';
import {
  type FetchedInputs,
  fetchInputs,
  INPUT_KINDS,
  type InputKind,
} from '../../../builder/fetch/fetch-inputs.ts';
import { hostOf } from '../../../builder/fetch/host-guard.ts';
import { COUNTY_FIPS } from '../../../shards/geoid.ts';
import { UsageError } from '../../errors.ts';
import { fetchSchema } from '../../settings/builds.ts';
import { type Flags, readSettings } from '../../settings/read-settings.ts';
import { run } from '../run.ts';
import { addSettings } from '../setting-options.ts';
import { terminalProgress } from '../terminal-progress.ts';

interface FetchFlags extends Flags {
  county: string;
  out: string;
  only?: string;
  gtfs?: string[];
  overtureRelease?: string;
  allowHosts?: string[];
}

/** Defines the options and the action of `tta fetch`. */
export function defineFetch(command: Command): void {
  command
    .requiredOption('--county <fips>', 'five-digit county codes, comma-separated')
    .requiredOption('--out <dir>', 'output folder; unchanged files in it are kept')
    .option('--only <inputs>', `any of ${INPUT_KINDS.join(', ')}, comma-separated (default: all)`)
    .option('--gtfs <urls...>', 'feeds to use instead of those in the catalogue')
    .option('--overture-release <label>', 'such as 2025-10-22.0 (default: the latest)')
    .option(
      '--allow-hosts <hosts...>',
      'private hosts that the catalogue and redirects may point to, such as 10.1.2.3:8080; hosts in other flags are allowed',
    )
    .addHelpText(
      'after',
      '\nHTTP_PROXY, HTTPS_PROXY and NO_PROXY are respected.\n\nExample:\n  tta fetch --county 24510 --out ./inputs',
    );
  addSettings(command, fetchSchema).action((flags: FetchFlags) => run(() => fetchCounties(flags)));
}

async function fetchCounties(flags: FetchFlags): Promise<void> {
  const set = readSettings(fetchSchema, flags);
  const counties = parseCounties(flags.county);
  const fetched = await fetchInputs(
    {
      counties,
      out: flags.out,
      inputs: parseInputs(flags.only),
      gtfs: (flags.gtfs ?? []).map((url) => parseUrl('--gtfs', url)),
      overtureRelease: parseRelease(flags.overtureRelease),
      allowedHosts: (flags.allowHosts ?? []).map(parseHost),
      services: {
        geofabrik: set.GEOFABRIK_URL,
        census: set.CENSUS_URL,
        lodes: set.LODES_URL,
        mobility: set.MOBILITY_URL,
        overture: set.OVERTURE_URL,
      },
    },
    terminalProgress(process.stderr),
  );
  for (const remark of fetched.remarks) {
    process.stderr.write(`warning: transit feeds: ${remark}\n`);
  }
  for (const table of fetched.withoutWeights) {
    process.stderr.write(`warning: weights not downloaded: ${table}\n`);
  }
  process.stdout.write(`${nextStep(fetched, counties)}\n`);
}

/**
 * Returns the build command to run next, or the downloaded files if streets or blocks were not
 * requested.
 */
function nextStep(inputs: FetchedInputs, counties: readonly string[]): string {
  const { osm, gtfs, blocks, places, pois, weights } = inputs;
  if (osm.length > 0 && blocks.length > 0) return buildCommand(inputs, counties);
  return [...osm, ...gtfs, ...blocks, ...places, ...pois, ...weights].join('\n');
}

/** The command that builds a release from the downloaded files. */
export function buildCommand(inputs: FetchedInputs, counties: readonly string[]): string {
  const { osm, gtfs, blocks, places, pois, weights } = inputs;
  const flags = Object.entries({ osm, gtfs, blocks, places, pois, weights })
    .filter(([, files]) => files.length > 0)
    .map(([flag, files]) => `--${flag} ${files.map(quoted).join(' ')}`);
  return ['tta build', ...flags, `--counties ${counties.join(',')}`, '--out ./store'].join(' ');
}

/** Quotes a path for a shell where necessary. */
function quoted(path: string): string {
  return /^[\w./:@%+=,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function parseCounties(text: string): string[] {
  const counties = [...new Set(text.split(',').map((county) => county.trim()))];
  for (const county of counties) {
    if (COUNTY_FIPS.test(county)) continue;
    throw new UsageError(`--county: "${county}" is not a five-digit county code such as 24510`);
  }
  return counties.sort();
}

function parseInputs(text: string | undefined): readonly InputKind[] {
  if (text === undefined) return INPUT_KINDS;
  return text.split(',').map((word) => {
    const kind = INPUT_KINDS.find((known) => known === word.trim());
    if (kind !== undefined) return kind;
    throw new UsageError(`--only: "${word}" is not one of ${INPUT_KINDS.join(', ')}`);
  });
}

function parseUrl(flag: string, text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new UsageError(`${flag}: "${text}" is not a URL starting with http:// or https://`);
}

/** Parses a host name or address, with or without a port, as in a URL. */
function parseHost(text: string): string {
  const url = URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : null;
  if (url === null || !/^[^/?#@]+$/.test(text)) {
    throw new UsageError(`--allow-hosts: "${text}" is not a host such as 10.1.2.3:8080`);
  }
  return /:\d+$/.test(text) ? hostOf(url) : url.hostname;
}

function parseRelease(label: string | undefined): string | null {
  if (label === undefined || /^\d{4}-\d\d-\d\d\.\d+$/.test(label)) return label ?? null;
  throw new UsageError(`--overture-release: "${label}" is not a release such as 2025-10-22.0`);
}
