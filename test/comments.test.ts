import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Words that begin a bare relative clause: what a thing is or does comes first. */
const RELATIVE = /^(Not )?(what|who|whom|whose|whoever|whatever|whichever|of|that which)\b/i;
/** Words of people for things that are none. */
const PERSONIFIED = /\b(nobody|somebody|anybody|everybody|is told|are told)\b/i;

/** Columns, as the formatter has for code. */
const MAX_WIDTH = 100;

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.(tsx?|css)$/.test(file));

/** The sentences of a file's comments, each with its line. */
function* sentencesOf(file: string): Generator<{ line: number; sentence: string }> {
  const text = readFileSync(file, 'utf8');
  for (const match of text.matchAll(/\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/ .*\n)+)/gm)) {
    const comment = (match[1] ?? match[2]).replaceAll(/^[ \t]*(\*|\/\/) ?/gm, '');
    const line = text.slice(0, match.index).split('\n').length;
    for (const sentence of comment.replaceAll(/\s+/g, ' ').split(/(?<=[.!?:;]) (?=[A-Z])/)) {
      yield { line, sentence: sentence.trim() };
    }
  }
}

test('comments say what a thing is or does, in plain sentences', () => {
  const wrong: string[] = [];
  let sentences = 0;
  for (const file of files) {
    for (const { line, sentence } of sentencesOf(file)) {
      sentences++;
      if (RELATIVE.test(sentence) || PERSONIFIED.test(sentence)) {
        wrong.push(`${file}:${line}: ${sentence}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(sentences).toBeGreaterThan(5_000);
});

test('comments are no wider than the code', () => {
  const wide: string[] = [];
  for (const file of files) {
    // Generated.
    if (file === 'portal/client/src/api-types.ts') continue;
    readFileSync(file, 'utf8')
      .split('\n')
      .forEach((line, i) => {
        if (/^\s*(\/\*\*|\*|\/\/) /.test(line) && [...line].length > MAX_WIDTH) {
          wide.push(`${file}:${i + 1}`);
        }
      });
  }
  expect(wide).toEqual([]);
});
