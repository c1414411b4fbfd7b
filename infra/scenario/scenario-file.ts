import { readFile } from 'node:fs/promises';
import { isMap, LineCounter, type Node, type ParsedNode, parseDocument, visit } from 'yaml';
import { z } from 'zod';
import { unreadable } from '../../builder/inputs/fingerprint.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { UsageError } from '../errors.ts';
import {
  duration,
  factor,
  headway,
  lat,
  lon,
  oneOrMore,
  routeType,
  speed,
  text,
  time,
  timeChange,
  wheelchair,
} from './quantities.ts';

const DAYS = ['weekdays', 'saturdays', 'sundays'] as const;
export type Days = (typeof DAYS)[number];

/** Which trips of which lines a change is about. */
const lines = {
  route: oneOrMore,
  direction: text.optional(),
  days: z.enum(DAYS, `must be one of ${DAYS.join(', ')}`).optional(),
  service: oneOrMore.optional(),
};

const changes = {
  'remove-route': z.strictObject({ change: z.literal('remove-route'), ...lines }),
  'add-route': z.strictObject({
    change: z.literal('add-route'),
    route: text,
    short_name: text.optional(),
    long_name: text.optional(),
    route_type: routeType,
    agency: text.optional(),
    stops: z.array(text, 'must be a list of stops').min(2, 'must be two stops or more'),
    return_stops: z
      .union(
        [
          z.literal('reversed'),
          z.array(text, 'must be a list of stops').min(2, 'must be two stops or more'),
        ],
        'must be "reversed" or a list of stops',
      )
      .optional(),
    speed: speed.optional(),
    run_times: z
      .array(duration, 'must be a list of durations, one from each stop to the next')
      .optional(),
    dwell: duration.optional(),
    days: lines.days,
    service: text.optional(),
    wheelchair_accessible: wheelchair.optional(),
    headways: z
      .array(
        z
          .strictObject({ from: time, until: time, headway }, 'must be from, until and headway')
          .refine(({ from, until }) => until > from, {
            error: 'must be later than from',
            path: ['until'],
          }),
        'must be a list of from, until and headway',
      )
      .min(1, 'must have at least one from, until and headway'),
  }),
  reroute: z.strictObject({
    change: z.literal('reroute'),
    ...lines,
    from_stop: text.optional(),
    to_stop: text.optional(),
    via: z.array(text, 'must be a list of stops, [] for none'),
    run_time: duration.optional(),
    speed: speed.optional(),
    dwell: duration.optional(),
  }),
  'adjust-headway': z.strictObject({
    change: z.literal('adjust-headway'),
    ...lines,
    from: time.optional(),
    until: time.optional(),
    headway,
  }),
  'adjust-span': z.strictObject({
    change: z.literal('adjust-span'),
    ...lines,
    first: time.optional(),
    last: time.optional(),
    headway: headway.optional(),
  }),
  'adjust-speed': z.strictObject({
    change: z.literal('adjust-speed'),
    ...lines,
    from_stop: text.optional(),
    to_stop: text.optional(),
    speed: factor.optional(),
    run_time: timeChange.optional(),
  }),
  'move-stop': z.strictObject({ change: z.literal('move-stop'), stop: text, lat, lon }),
  'add-stop': z.strictObject({
    change: z.literal('add-stop'),
    stop: text,
    name: text,
    lat,
    lon,
    parent_station: text.optional(),
    wheelchair_boarding: wheelchair.optional(),
  }),
};
type Kind = keyof typeof changes;
const KINDS = Object.keys(changes) as Kind[];

/** Rules between the members of a change, beside those of each. */
const rules: { readonly [K in Kind]?: (change: z.infer<(typeof changes)[K]>) => Problem[] } = {
  'add-route': ({ speed, run_times, stops, return_stops, short_name, long_name }) => [
    ...(short_name === undefined && long_name === undefined
      ? [{ path: [], message: 'needs short_name, long_name or both' }]
      : []),
    ...exactlyOne({ speed, run_times }),
    ...(run_times && run_times.length !== stops.length - 1
      ? [
          {
            path: ['run_times'],
            message: `has ${run_times.length} times for ${stops.length} stops: give ${stops.length - 1}, one from each stop to the next`,
          },
        ]
      : []),
    ...(run_times && Array.isArray(return_stops)
      ? [{ path: ['run_times'], message: 'says nothing about return_stops: give speed instead' }]
      : []),
  ],
  reroute: ({ from_stop, to_stop, via, run_time, speed }) => [
    ...(from_stop === undefined && to_stop === undefined
      ? [
          {
            path: [],
            message:
              'needs from_stop, to_stop or both: where the new way leaves the old one, and where it returns',
          },
        ]
      : []),
    ...(run_time !== undefined && speed !== undefined
      ? [{ path: ['run_time'], message: 'give run_time or speed, not both' }]
      : []),
    ...(via.length === 0 && run_time !== undefined && !(from_stop && to_stop)
      ? [{ path: ['run_time'], message: 'has no meaning where a line is only cut short' }]
      : []),
  ],
  'adjust-headway': ({ from, until }) =>
    from !== undefined && until !== undefined && until <= from
      ? [{ path: ['until'], message: 'must be later than from' }]
      : [],
  'adjust-span': ({ first, last }) => [
    ...(first === undefined && last === undefined
      ? [{ path: [], message: 'needs first, last or both: the first and the last departure' }]
      : []),
    ...(first !== undefined && last !== undefined && last < first
      ? [{ path: ['last'], message: 'must not be earlier than first' }]
      : []),
  ],
  'adjust-speed': ({ speed, run_time }) => exactlyOne({ speed, run_time }),
};

function exactlyOne(members: Readonly<Record<string, unknown>>): Problem[] {
  const given = Object.keys(members).filter((name) => members[name] !== undefined);
  if (given.length === 1) return [];
  const names = Object.keys(members).join(' or ');
  return given.length === 0
    ? [{ path: [], message: `needs ${names}` }]
    : [{ path: [given[1]], message: `give ${names}, not both` }];
}

/** A change, as the file states it, with its values in seconds, metres per second and degrees. */
export type Change = { [K in Kind]: z.infer<(typeof changes)[K]> }[Kind];
export type ChangeOf<K extends Kind> = z.infer<(typeof changes)[K]>;
export type Lines = Pick<ChangeOf<'remove-route'>, keyof typeof lines>;

type Path = readonly (string | number)[];
interface Problem {
  readonly path: Path;
  readonly message: string;
}

/** A problem in a scenario, for the person who wrote it; `path` leads to it in its change. */
export class ChangeError extends Error {
  readonly path: Path;

  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

/** A scenario, and where its parts stand. */
export interface Scenario {
  readonly name: string;
  readonly changes: readonly Change[];
  /** Returns `file:line` of a part of a change, or of the nearest part that holds it. */
  placeOf(change: number, path?: Path): string;
}

/** The number of problems of a scenario that are listed; more are counted. */
const MOST_TOLD = 20;

/** The first problems of a scenario, one a line, each with its place. */
export class ScenarioError extends UsageError {
  readonly problems: readonly string[];

  /** `all`: the number of problems, if further ones are left out. */
  constructor(file: string, problems: readonly string[], all = problems.length) {
    super(`${file}: ${all === 1 ? 'a problem' : `${all} problems`}, nothing is written`);
    const told = problems.slice(0, MOST_TOLD);
    this.problems = all > told.length ? [...told, `and ${all - told.length} more`] : told;
  }
}

/** A scenario is written by hand. */
const MAX_BYTES = 1 << 20;

const IS_FLAT = 'a change is a list of members, each "name: value"';
/** Brackets or list marks in a row: the parser of YAML ends the program at tens of thousands. */
const NESTED = /(?:[[{]\s*|- +){32}/;
/** Problems that the parser of YAML tells in the words of its own. */
const IN_WORDS: ReadonlyMap<string, string> = new Map([
  ['MULTIPLE_DOCS', 'a second document begins (---); a file holds one scenario'],
  ['RESOURCE_EXHAUSTION', `is nested too deep; ${IS_FLAT}`],
  ['BLOCK_AS_IMPLICIT_KEY', 'a second "name: value" on one line; put it on its own, or in quotes'],
  ['MULTILINE_IMPLICIT_KEY', 'the name before a colon runs over several lines'],
  [
    'BAD_INDENT',
    'begins too far left or right, or a quote or bracket before it is not closed; members of one change begin below each other',
  ],
  ['TAB_AS_INDENT', 'begins with a tab; indent by spaces'],
  [
    'MISSING_CHAR',
    'a quote or bracket is not closed before here, or a comma, a line break or ": " after a name is missing',
  ],
  ['BAD_SCALAR_START', 'a text that begins with @, ` or % has to be in quotes'],
  [
    'BAD_DQ_ESCAPE',
    'a \\ in double quotes has a meaning of its own; put the text in single quotes',
  ],
  ['UNEXPECTED_TOKEN', 'something does not belong here; put a text with signs of YAML in quotes'],
  ['NON_STRING_KEY', 'a name before a colon is a text, no list'],
]);
const IS_TWICE = 'this name is there twice in one list of members';

/**
 * Reads a scenario. Throws a `ScenarioError` with all problems of its form, each by its line.
 */
export async function readScenario(file: string): Promise<Scenario> {
  const bytes = await readFile(file).catch((error) => {
    throw new UsageError(unreadable(file, error).message);
  });
  if (bytes.length > MAX_BYTES) {
    throw new UsageError(`${file}: is larger than ${MAX_BYTES >> 20} MB; is it a scenario?`);
  }
  const source = bytes.toString('utf8');
  const nested = source.search(NESTED);
  if (nested !== -1) {
    const line = source.slice(0, nested).split('\n').length;
    throw new ScenarioError(file, [`${file}:${line}: lists are nested too deep; ${IS_FLAT}`]);
  }
  const counter = new LineCounter();
  // Without types of YAML, so that an id such as 01 stays as it is written.
  const document = parseDocument(source, {
    schema: 'failsafe',
    lineCounter: counter,
    prettyErrors: false,
    // A list as a name would be written out as text, twice as long with each level of nesting.
    stringKeys: true,
    // The parser would compare each name with each.
    uniqueKeys: false,
  });
  const placeAt = (offset: number) => `${file}:${counter.linePos(offset).line}`;
  if (document.errors.length > 0) {
    const problems = document.errors.map(
      ({ pos, code, message }) => `${placeAt(pos[0])}: ${IN_WORDS.get(code) ?? message}`,
    );
    throw new ScenarioError(file, [...new Set(problems)]);
  }
  const repeated = repeatedNames(document.contents).map((at) => `${placeAt(at)}: ${IS_TWICE}`);
  if (repeated.length > 0) throw new ScenarioError(file, repeated);
  const placeOf = (path: Path) => placeAt(offsetOf(document.contents, path));
  const value = plainValue(file, () => document.toJS());
  const { name, read, problems } = readChanges(value);
  if (problems.length > 0) {
    // To find a place takes time in proportion to the members before it.
    const told = problems
      .slice(0, MOST_TOLD)
      .map(({ path, message }) => ({ path, message, at: offsetOf(document.contents, path) }))
      .sort((a, b) => a.at - b.at)
      .map(({ path, message, at }) => `${placeAt(at)}: ${[...nameOf(path), message].join(' ')}`);
    throw new ScenarioError(file, told, problems.length);
  }
  return {
    name,
    changes: read,
    placeOf: (change, path = []) => placeOf(['changes', change, ...path]),
  };
}

/** Repeated aliases can stand for more data than memory holds; the parser refuses these. */
function plainValue(file: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}; write out what its aliases stand for`);
  }
}

/** The offsets of names that an earlier member of the same list has. */
function repeatedNames(root: ParsedNode | null): number[] {
  const repeated: number[] = [];
  if (root === null) return repeated;
  visit(root, {
    Map(_, { items }) {
      const known = new Set<string>();
      for (const { key } of items) {
        const name = String(key);
        if (known.has(name)) repeated.push((key as Node).range?.[0] ?? 0);
        known.add(name);
      }
    },
  });
  return repeated;
}

/** The member that a path leads to, for a message; none for a change as a whole. */
function nameOf(path: Path): string[] {
  const last = path.findLast((part) => typeof part === 'string');
  return last === undefined || (last === 'changes' && path.length > 1) ? [] : [last];
}

const topSchema = z.strictObject(
  {
    scenario: text,
    changes: z
      .array(
        z.looseObject(
          { change: z.enum(KINDS, `must be one of ${KINDS.join(', ')}`) },
          'must be a change, which begins with "change: …"',
        ),
        'must be a list of changes, each of which begins with "- change: …"',
      )
      .min(1, 'is empty: nothing is to change'),
  },
  'a scenario begins with "scenario: …" and "changes:", each on a line of its own',
);

function readChanges(value: unknown): { name: string; read: Change[]; problems: Problem[] } {
  const top = topSchema.safeParse(value, { reportInput: true });
  const problems = top.success ? [] : problemsOf(top.error, Object.keys(topSchema.shape));
  const list = (value as { changes?: unknown } | null)?.changes;
  const read: Change[] = [];
  for (const [i, one] of (Array.isArray(list) ? list : []).entries()) {
    const kind = KINDS.find((kind) => kind === one?.change);
    if (kind === undefined) continue;
    const schema: z.ZodType<Change> = changes[kind];
    const result = schema.safeParse(one, { reportInput: true });
    const found = result.success
      ? rulesOf(result.data)
      : problemsOf(result.error, Object.keys(changes[kind].shape));
    problems.push(
      ...found.map(({ path, message }) => ({ path: ['changes', i, ...path], message })),
    );
    if (result.success) read.push(result.data);
  }
  return { name: top.success ? top.data.scenario : '', read, problems };
}

function rulesOf(change: Change): Problem[] {
  const rule = rules[change.change] as ((one: Change) => Problem[]) | undefined;
  const isTwice = 'days' in change && change.days && change.service;
  return [
    ...(rule?.(change) ?? []),
    ...(isTwice
      ? [{ path: ['service'], message: 'name the trips by days or by service, not by both' }]
      : []),
  ];
}

/** Turns the problems that zod found into words; `members` are those that may stand there. */
function problemsOf(error: z.ZodError, members: readonly string[]): Problem[] {
  const told = new Set<string>();
  return error.issues.flatMap((issue): Problem[] => {
    const path = issue.path.filter((part) => typeof part !== 'symbol');
    // The length of a value that is no list is not worth a word.
    const at = path.join();
    if (told.has(at)) return [];
    told.add(at);
    if (issue.code === 'unrecognized_keys') {
      const known = path.length === 0 ? `; there are ${members.join(', ')}` : '';
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: `is unknown here${known}`,
      }));
    }
    if (issue.input === undefined && issue.code !== 'custom') {
      return [{ path, message: 'is missing' }];
    }
    if (issue.code === 'invalid_union') {
      const deepest = issue.errors.flat().find((one) => one.path.length > 0);
      return [
        {
          path: [...path, ...((deepest?.path ?? []) as Path)],
          message: deepest?.message ?? issue.message,
        },
      ];
    }
    return [{ path, message: issue.message }];
  });
}

/** The offset of the part that a path leads to, or of the nearest part that holds it. */
function offsetOf(root: ParsedNode | null, path: Path): number {
  let node: Node | null | undefined = root;
  let offset = root?.range[0] ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === String(part));
      if (!pair) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else {
      node = (node as { items?: Node[] } | null)?.items?.[part as number];
      if (!node) return offset;
      offset = node.range?.[0] ?? offset;
    }
  }
  return offset;
}
