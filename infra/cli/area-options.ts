import type { Command } from 'commander';
import type { ConfirmDownload } from '../../builder/fetch/announce-download.ts';
import type { AreaRequest } from '../../builder/fetch/named-areas.ts';
import { COUNTY_FIPS } from '../../shards/geoid.ts';
import { ArgumentError } from '../errors.ts';
import { commaList } from './comma-list.ts';

export interface AreaFlags {
  place?: string[];
  county?: string[];
  state?: string[];
  nation?: boolean;
  yes?: boolean;
  fresh?: boolean;
}

/** Adds the flags that name an area to download, and how. */
export function addArea(command: Command): Command {
  return command
    .option(
      '--place <names...>',
      'cities, towns and other census places by name or GEOID: "Baltimore, MD", 2404000',
    )
    .option('--county <names...>', 'counties by code or name: 24510, "Baltimore city, MD"')
    .option('--state <names...>', 'states: MD, Maryland or 24')
    .option('--nation', 'the 50 states, the District of Columbia and Puerto Rico')
    .option(
      '--yes',
      'start large downloads without asking; without a terminal, they start at once anyway',
    )
    .option('--fresh', 'ask for newer street data even if they are less than a week old');
}

/** Parses the flags that name an area; null if there is none. */
export function readArea(flags: AreaFlags): AreaRequest | null {
  const area = {
    places: flags.place ?? [],
    counties: (flags.county ?? []).flatMap(codesOrName),
    states: (flags.state ?? []).flatMap((states) =>
      commaList(states).filter((state) => state !== ''),
    ),
    nation: flags.nation ?? false,
  };
  const { places, counties, states, nation } = area;
  return [...places, ...counties, ...states].length > 0 || nation ? area : null;
}

/** Names a folder after an area: `baltimore-md` for `Baltimore, MD`. */
export function folderNameOf(area: string): string {
  const name = area.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-');
  return name.replaceAll(/^-|-$/g, '') || 'area';
}

/** Codes may be joined by commas, which are parts of names. */
function codesOrName(text: string): string[] {
  const parts = commaList(text);
  const isName = parts.some((part) => /\p{L}/u.test(part));
  if (isName) return [text];
  const wrong = parts.find((part) => !COUNTY_FIPS.test(part));
  if (wrong === undefined) return parts;
  throw new ArgumentError(
    `--county: "${wrong}" is not a five-digit county code such as 24510, nor a name such as "Baltimore city, MD"`,
  );
}

/**
 * Asks on the terminal whether to download. Without a terminal the download begins: the command of
 * a script or timer was written on purpose, and waiting for an answer would hang it.
 */
export const confirmOnTerminal: ConfirmDownload = async () => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return true;
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Download? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
};
