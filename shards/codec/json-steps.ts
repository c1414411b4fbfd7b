import type { Bytes } from '../units.ts';

/** The bytes of JSON's punctuation in UTF-8. */
export const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
export const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * For each byte value, 1 if it is punctuation. One look-up per byte takes half the time of
 * comparisons.
 */
export const IS_PUNCTUATION = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number('",:[]{}'.includes(String.fromCharCode(byte))),
);

export function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

/** Length of JSON that one step parses or scans, in well below a millisecond. */
const STEP_BYTES: Bytes = 2 ** 15;
/** Levels of containers that are split; deeper ones are parsed in one step. */
const SPLIT_LEVELS = 4;

// A byte order mark within the text is invalid and must not be dropped.
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

type Steps<T> = Generator<undefined, T, undefined>;

/**
 * Parses UTF-8 JSON stepwise: returns, or throws, what `JSON.parse` does for the whole text.
 * Containers that are too long for a step are split between their members, and runs of members are
 * parsed by `JSON.parse`.
 */
export function* jsonSteps(bytes: Uint8Array): Steps<unknown> {
  try {
    return yield* valueSteps(bytes, SPLIT_LEVELS);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Either the text begins with a byte order mark, or this throws an error with positions in the
    // whole text.
    return JSON.parse(new TextDecoder().decode(bytes));
  }
}

function* valueSteps(text: Uint8Array, levels: number): Steps<unknown> {
  const value = trimmed(text);
  const isArray = value[0] === OPEN_ARRAY && value.at(-1) === CLOSE_ARRAY;
  const isObject = value[0] === OPEN_OBJECT && value.at(-1) === CLOSE_OBJECT;
  if (value.length <= STEP_BYTES || levels === 0 || !(isArray || isObject)) {
    return JSON.parse(DECODER.decode(value));
  }
  const inside = value.subarray(1, -1);
  return yield* isArray ? arraySteps(inside, levels - 1) : objectSteps(inside, levels - 1);
}

function* arraySteps(inside: Uint8Array, levels: number): Steps<unknown[]> {
  const items: unknown[] = [];
  for (const run of yield* memberRuns(inside)) {
    if (run.length > STEP_BYTES) items.push(yield* valueSteps(run, levels));
    else items.push(...requireMembers(JSON.parse(`[${DECODER.decode(run)}]`) as unknown[]));
    yield;
  }
  return items;
}

function* objectSteps(inside: Uint8Array, levels: number): Steps<object> {
  const entries: [string, unknown][] = [];
  for (const run of yield* memberRuns(inside)) {
    if (run.length > STEP_BYTES) {
      const [name, value] = splitMember(run);
      entries.push([name, yield* valueSteps(value, levels)]);
    } else {
      const members = Object.entries(JSON.parse(`{${DECODER.decode(run)}}`));
      entries.push(...requireMembers(members));
    }
    yield;
  }
  // As in `JSON.parse`, the last of several equal names counts, and `__proto__` is a name like any
  // other.
  return Object.fromEntries(entries);
}

/**
 * Splits the inside of a container at commas into runs of members up to the length of a step, and
 * single members that are longer.
 */
function* memberRuns(inside: Uint8Array): Steps<Uint8Array[]> {
  const runs: Uint8Array[] = [];
  let [depth, run, member, step] = [0, 0, 0, 0];
  for (let i = 0; i <= inside.length; i++) {
    const byte = inside[i];
    if (byte === QUOTE) i = endOfString(inside, i);
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    else if (depth === 0 && (byte === COMMA || i === inside.length)) {
      if (member > run && i - run > STEP_BYTES) {
        runs.push(inside.subarray(run, member - 1));
        run = member;
      }
      member = i + 1;
      if (i === inside.length || i - run > STEP_BYTES) {
        runs.push(inside.subarray(run, i));
        run = member;
      }
    }
    if (i - step > STEP_BYTES) {
      step = i;
      yield;
    }
  }
  // If the last run does not end with the text, brackets are unbalanced or a string is open.
  if (run !== inside.length + 1) throw new SyntaxError('unbalanced');
  return runs;
}

function splitMember(text: Uint8Array): [name: string, value: Uint8Array] {
  const start = text.indexOf(QUOTE);
  const colon = text.indexOf(COLON, start === -1 ? 0 : endOfString(text, start));
  const name: unknown = JSON.parse(DECODER.decode(text.subarray(0, colon)));
  if (colon === -1 || typeof name !== 'string') throw new SyntaxError('a member has no name');
  return [name, text.subarray(colon + 1)];
}

/** Rejects a run without members, as between two commas. */
function requireMembers<T>(members: T[]): T[] {
  if (members.length === 0) throw new SyntaxError('a member is empty');
  return members;
}

function trimmed(text: Uint8Array): Uint8Array {
  let [start, end] = [0, text.length];
  while (start < end && SPACES.has(text[start])) start++;
  while (end > start && SPACES.has(text[end - 1])) end--;
  return text.subarray(start, end);
}
