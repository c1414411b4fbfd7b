import { BuildError } from '../../builder/errors.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import type { InputFile } from './input-files.ts';
import type { Mutation } from './mutations.ts';

/** A build that has ended: with a release, or with an error. */
export interface Outcome {
  readonly error: unknown;
  readonly manifest: Manifest | null;
  /** Notes, and summaries of stages. */
  readonly said: readonly string[];
  /** JSON objects that the build stored. */
  readonly documents: readonly unknown[];
  readonly seconds: number;
}

/** A build of so small a city takes a fraction of a second; on a machine that stalls, some. */
const LONGEST_SECONDS = 60;
const COUNT = /^\+?(\d{1,10}(\.\d*)?|\.\d+)$/;
/** A message longer than a few lines of a terminal repeats its input. */
const LONGEST_MESSAGE = 600;

/**
 * Judges a build of mutated inputs by comparison with `original`, the build without the mutation.
 * `inputs` are those that were built. Returns the fault; null if there is none.
 */
export function faultOf(
  { silence, changed }: Mutation,
  built: Outcome,
  original: Outcome,
  inputs: readonly InputFile[],
): string | null {
  if (built.seconds > LONGEST_SECONDS) return `took ${built.seconds.toFixed(1)} s`;
  if (!built.manifest) return faultOfRefusal(built.error, changed);
  const lost = lostNumber(built, original);
  if (lost !== null) return `${lost} is not a number`;
  const miscount = miscountIn(built.manifest, inputs);
  if (miscount !== null) return miscount;
  const [now, before] = [contentsOf(built.manifest), contentsOf(original.manifest!)];
  const differs =
    silence === 'nothing'
      ? now.all !== before.all
      : silence === 'names' && now.times !== before.times;
  if (!differs || warnings(built).some((line) => !warnings(original).includes(line))) return null;
  return `differs without a word in ${differences(built.manifest, original.manifest!)}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\0-\x1f\x7f]/;

function faultOfRefusal(error: unknown, changed: Mutation['changed']): string | null {
  if (!(error instanceof BuildError)) {
    const { stack } = error as Error;
    return `internal error: ${stack ?? String(error)}`;
  }
  const { message } = error;
  const shown = `${JSON.stringify(message.slice(0, LONGEST_MESSAGE))}`;
  // Blocks far away look like an extract of elsewhere, and those with another GEOID like weights of
  // another census, so the refusal names that file, and the blocks.
  const names = [...changed].flatMap(([file, input]) =>
    input?.kind === 'blocks' ? [file, 'area of the blocks', 'the census blocks of county'] : file,
  );
  if (!names.some((name) => message.includes(name)))
    return `a refusal that names no file: ${shown}`;
  if (CONTROL.test(message)) return `a refusal with control characters: ${shown}`;
  if (message.length > LONGEST_MESSAGE)
    return `a refusal of ${message.length} characters: ${shown}`;
  return null;
}

/**
 * Compares the counts of a release with those of the rows of its inputs, where these are in their
 * files as they are in their tables.
 */
function miscountIn({ counties, weights }: Manifest, inputs: readonly InputFile[]): string | null {
  for (const input of inputs) {
    const { kind, tables, text, bytes, entries, file } = input;
    if (text ?? bytes ?? entries ?? file) continue;
    const [{ columns, rows }] = tables;
    const sumOf = (column: string) => {
      const cells = rows.map((row) => String(row[columns.indexOf(column)]).trim());
      const counts = cells.map((cell) => (COUNT.test(cell) ? Math.round(Number(cell)) : 0));
      return sum(counts.filter((count) => count < 2 ** 32));
    };
    const counted =
      kind === 'blocks'
        ? [
            ['blocks', sum(Object.values(counties).map(({ blocks }) => blocks)), rows.length],
            ['people', sum(Object.values(counties).map((one) => one.population)), sumOf('POP20')],
          ]
        : kind === 'weights'
          ? weights.map(({ weight, total }) => [weight, total, sumOf(weight)])
          : [];
    for (const [what, found, expected] of counted) {
      if (found !== expected) return `${found} ${what} of ${expected}`;
    }
  }
  return null;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** Messages of a build about lost or doubtful data: the problems of feeds, and warnings. */
function warnings({ manifest, said }: Outcome): string[] {
  const problems = manifest!.feeds.flatMap(({ problems }) =>
    problems.map((one) => JSON.stringify(one)),
  );
  return [...problems, ...said.filter((line) => /WARNING|left out/.test(line))];
}

/** Objects that depend on times and counts alone, and not on the names of things. */
const NAMELESS = ['index', 'reach-from', 'reach-to'] as const;

/** The contents of a release, apart from the digests of its inputs: all of it, and times alone. */
function contentsOf(manifest: Manifest): { all: string; times: string } {
  const { counties, states, feeds, weights } = manifest;
  const trips = feeds.map(({ trips_in_window }) => trips_in_window);
  const nameless = Object.values(counties).map(({ objects, population }) => [
    population,
    NAMELESS.map((kind) => objects[kind]?.sha256),
  ]);
  return {
    all: JSON.stringify([counties, states, trips, weights]),
    times: JSON.stringify([nameless, trips]),
  };
}

function differences(now: Manifest, before: Manifest): string {
  const kinds = Object.entries(now.counties).flatMap(([fips, { objects }]) =>
    Object.entries(objects).flatMap(([kind, ref]) => {
      const known = before.counties[fips]?.objects as
        | Record<string, { sha256: string }>
        | undefined;
      return ref.sha256 === known?.[kind]?.sha256 ? [] : [kind];
    }),
  );
  const trips = [before, now].map(({ feeds }) =>
    feeds.map(({ trips_in_window: n }) => n).join('+'),
  );
  return `${kinds.join(', ') || 'other facts'}; trips ${trips.join(' -> ')}`;
}

/** Finds a member that is a number in all JSON objects of the original, and null in another. */
function lostNumber(built: Outcome, original: Outcome): string | null {
  const before = kindsOf(original);
  for (const [place, kinds] of kindsOf(built)) {
    const known = before.get(place);
    if (kinds.has('null') && known?.has('number') && !known.has('null')) return place;
  }
  return null;
}

function kindsOf({ manifest, documents }: Outcome): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const visit = (value: unknown, place: string): void => {
    const kind = value === null ? 'null' : typeof value;
    const kinds = found.get(place) ?? new Set();
    found.set(place, kinds.add(kind));
    if (Array.isArray(value)) for (const member of value) visit(member, `${place}[]`);
    else if (kind === 'object') {
      for (const [name, member] of Object.entries(value as object))
        visit(member, `${place}.${name}`);
    }
  };
  for (const document of [manifest, ...documents]) visit(document, '');
  return found;
}
