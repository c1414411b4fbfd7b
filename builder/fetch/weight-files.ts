import { readFile } from 'node:fs/promises';
import { STATES, type StateFips } from '../../shards/states.ts';
import { BuildError } from '../errors.ts';
import { openWeightFile } from '../weights/open-weight-file.ts';
import type { Download } from './download.ts';
import { downloadAll, type FetchSession } from './download-all.ts';
import { MAX_BYTES, type PublicServices, stateName } from './public-files.ts';

export interface ChosenWeights {
  readonly files: readonly Download[];
  /** Tables that their publisher does not have, each with the reason. */
  readonly withoutWeights: readonly string[];
}

/** Jobs by workplace, and workers by residence: all segments, all jobs. */
const LODES_TABLES = ['wac', 'rac'] as const;

/**
 * Chooses tables of counts by block for each state: the redistricting data of the 2020 census, and
 * the area characteristics of LODES for the latest year that the state has.
 */
export async function chooseWeights(
  services: PublicServices,
  states: readonly StateFips[],
  session: FetchSession,
): Promise<ChosenWeights> {
  const lists = states.map((state) => lodesChecksums(services, state));
  const errors = await downloadAll('LODES checksums', lists, session);
  const withoutWeights = errors.flatMap((error) => error?.message ?? []);
  const files = states.map((state) => redistrictingData(services, state));
  for (const [i, { url, file }] of lists.entries()) {
    if (errors[i]) continue;
    const listed = readChecksums(await readFile(session.folder.path(file), 'utf8'));
    for (const table of LODES_TABLES) {
      const latest = lodesTable(services, states[i], table, listed);
      if (latest) files.push(latest);
      else withoutWeights.push(`${url}: lists no ${table.toUpperCase()} of all jobs`);
    }
  }
  return { files, withoutWeights };
}

/** The redistricting data of a state: race, Hispanic origin, adults and housing by block. */
export function redistrictingData({ census }: PublicServices, state: StateFips): Download {
  const folder = 'programs-surveys/decennial/2020/data/01-Redistricting_File--PL_94-171';
  const name = `${postal(state)}2020.pl.zip`;
  const url = `${census}/${folder}/${stateName(state).replaceAll(' ', '_')}/${name}`;
  return { url, file: `weights/${name}`, maxBytes: MAX_BYTES.weights, check: checkCounts };
}

/** The SHA-256 sums of all LODES files of a state, which show the years there are. */
export function lodesChecksums({ lodes }: PublicServices, state: StateFips): Download {
  const name = `lodes_${postal(state)}.sha256sum`;
  const check = async (path: string) => {
    if (readChecksums(await readFile(path, 'utf8')).size > 0) return;
    throw new BuildError(`${path}: lists no files with their SHA-256`);
  };
  const url = `${lodesFolder(lodes, state)}/${name}`;
  return { url, file: `weights/${name}`, maxBytes: MAX_BYTES.checksums, check };
}

/** Returns a LODES table of the latest year in a list; undefined if the list has none. */
function lodesTable(
  { lodes }: PublicServices,
  state: StateFips,
  table: (typeof LODES_TABLES)[number],
  listed: ReadonlyMap<string, string>,
): Download | undefined {
  const ofTable = new RegExp(`^${postal(state)}_${table}_S000_JT00_\\d{4}\\.csv\\.gz$`);
  const name = [...listed.keys()]
    .filter((one) => ofTable.test(one))
    .sort()
    .at(-1);
  if (name === undefined) return undefined;
  return {
    url: `${lodesFolder(lodes, state)}/${table}/${name}`,
    file: `weights/${name}`,
    sha256: listed.get(name),
    maxBytes: MAX_BYTES.weights,
    check: checkCounts,
  };
}

function lodesFolder(lodes: string, state: StateFips): string {
  return `${lodes}/data/lodes/LODES8/${postal(state)}`;
}

function postal(state: StateFips): string {
  return STATES.get(state)!.usps.toLowerCase();
}

/** Parses the output of `sha256sum` into digests by file name, without folders. */
function readChecksums(text: string): ReadonlyMap<string, string> {
  const lines = text.matchAll(/^([0-9a-f]{64}) [ *](?:.*\/)?(\S+)$/gim);
  return new Map(Array.from(lines, ([, sha256, name]) => [name, sha256.toLowerCase()]));
}

async function checkCounts(path: string): Promise<void> {
  const { rows } = await openWeightFile(path, 'weights');
  for await (const _ of rows) return;
  throw new BuildError(`${path}: has no counts by block`);
}
