import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonSteps } from '../../shards/codec/json-steps.ts';
import { forAll } from '../support/for-all.ts';

/** The most that one step parses. Texts of these tests are longer, so that they are split. */
const STEP_BYTES = 2 ** 15;

function inSteps(bytes: Uint8Array): { value: unknown; steps: number } {
  const parsing = jsonSteps(bytes);
  for (let steps = 1; ; steps++) {
    const step = parsing.next();
    if (step.done) return { value: step.value, steps };
  }
}

/** A result, or the message of a `SyntaxError`, as text that shows the order of members. */
function outcome(parse: () => unknown): string {
  try {
    return JSON.stringify(parse());
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return (error as SyntaxError).message;
  }
}

function expectAsWhole(bytes: Uint8Array): void {
  const whole = outcome(() => JSON.parse(new TextDecoder().decode(bytes)));
  expect(outcome(() => inSteps(bytes).value)).toBe(whole);
}

/** Repeats a value until its text is longer than a step. */
function copies(value: unknown): unknown[] {
  return Array(Math.ceil((1.1 * STEP_BYTES) / (JSON.stringify(value).length + 1))).fill(value);
}

/** Texts of long nested containers, with and without spaces. */
const longText = fc
  .tuple(fc.jsonValue(), fc.jsonValue(), fc.constantFrom(0, 1, '\t'))
  .map(([small, repeated, indent]) => {
    const list = copies(repeated);
    const value = { small, list, inner: { small, list: { ...list } } };
    return Buffer.from(JSON.stringify(value, null, indent));
  });

describe('JSON in steps', () => {
  test('returns what JSON.parse returns', () =>
    forAll(25, longText, (bytes) => expectAsWhole(bytes)));

  test('fails or returns the same as JSON.parse, with a byte replaced or removed', () =>
    forAll(25, longText, fc.nat(), fc.constantFrom(...'[]{},:"\\ 0'), (text, at, character) => {
      const start = text.subarray(0, at % text.length);
      const end = text.subarray(start.length + 1);
      expectAsWhole(Buffer.concat([start, Buffer.from(character), end]));
      expectAsWhole(Buffer.concat([start, end]));
    }));

  const long = JSON.stringify('x'.repeat(STEP_BYTES));
  const spaces = ' '.repeat(STEP_BYTES);
  test.each([
    ['nothing', ''],
    ['spaces', spaces],
    ['a long string', long],
    ['an empty list with spaces', `[${spaces}]`],
    ['equal names', `{"a":${long},"b":1,"a":2}`],
    ['the name __proto__', `{"__proto__":{"a":${long}},"b":1}`],
    ['names that are numbers', `{"b":${long},"2":1,"1":2}`],
    ['escaped quotes', `{"\\"a\\\\":[${long},"\\\\\\"]"],"b":"\\u005d"}`],
    ['a byte order mark', `\ufeff[${long},1]`],
    ['a byte order mark after a comma', `[${long},\ufeff1]`],
    ['a comma at the end', `[${long},]`],
    ['a comma at the start', `{,"a":${long}}`],
    ['spaces between commas', `[1,${spaces},2]`],
    ['a long name without a value', `{${long},"a":1}`],
    ['a long name without a colon', `{${long} 1}`],
    ['a name that is not a string', `{[${long}]:1}`],
    ['brackets of two kinds', `{"a":[${long}},"b":{1]}`],
    ['a list closed twice', `[${long}],[${long}]`],
    ['an open string', `[${long},"a]`],
    ['an open list', `[${long},[1]`],
    ['deep nesting', '['.repeat(1_000) + long + ']'.repeat(1_000)],
  ])('treats %s as JSON.parse does', (_, text) => {
    expectAsWhole(Buffer.from(text));
  });

  test('takes more steps for a longer text, not longer ones', () => {
    const [some, twice] = [2_000, 4_000].map((counties) => {
      const county = { name: 'x'.repeat(1_000), boxes: [[1, 2], [3]] };
      const list = Array.from({ length: counties }, (_, i) => [`${10_000 + i}`, county]);
      return inSteps(Buffer.from(JSON.stringify({ counties: Object.fromEntries(list) }))).steps;
    });
    expect(some).toBeGreaterThan((2_000 * 1_000) / STEP_BYTES);
    expect(twice / some).toBeCloseTo(2, 1);
  });
});
