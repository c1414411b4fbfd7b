import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readEnginesRecord } from './engines-record.ts';
import { withEngineTables } from './engines-tables.ts';

test.each(['ACCURACY.md', 'test/bench/README.md'])(
  'the tables of %s are those of the recorded comparison',
  (document) => {
    const text = readFileSync(document, 'utf8');
    expect(withEngineTables(text, readEnginesRecord())).toBe(text);
  },
);

test('ACCURACY.md has at most 1,800 words, tables included', () => {
  const words = readFileSync('ACCURACY.md', 'utf8')
    .split(/[\s|]+/)
    .filter((word) => /\w/.test(word));
  expect(words.length).toBeLessThanOrEqual(1_800);
});
