import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Words that begin a bare relative clause; a comment should begin with a noun or a verb. */
const RELATIVE = /^(Not )?(what|who|whom|whose|whoever|whatever|whichever|of|that which)\b/i;
/** Words for people, which are wrong for things. */
const PERSONIFIED = /\b(nobody|somebody|anybody|everybody|is told|are told)\b/i;

/** A name of code in camel case; `kB` and `dBASE` are no such names. */
const CAMEL_CASE = /(?<![\w.])(?!kB\b|dBASE\b)[a-z]+[A-Z]\w*/g;
/** Names between backticks, examples of code, and directives to the linter. */
const NOT_PROSE = /`[^`]*`|^ {4}.*$|^ *biome-ignore .*$/gm;

/** A block comment that begins a line, or consecutive line comments. */
const COMMENT = /^[ \t{]*\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/ .*\n)+)/gm;

/** The most columns of a line, as the formatter has for code. */
const MAX_WIDTH = 100;

const GENERATED = 'portal/client/src/api-types.ts';

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.(tsx?|css)$/.test(file));

/** The comments of a file without their markers, each with its line number. */
function* commentsOf(file: string): Generator<{ line: number; comment: string }> {
  const text = readFileSync(file, 'utf8');
  for (const match of text.matchAll(COMMENT)) {
    const comment = (match[1] ?? match[2]).replaceAll(/^[ \t]*(\*|\/\/) ?/gm, '');
    yield { line: text.slice(0, match.index).split('\n').length, comment };
  }
}

/** The sentences of a file's comments, each with the line of its comment. */
function* sentencesOf(file: string): Generator<{ line: number; sentence: string }> {
  for (const { line, comment } of commentsOf(file)) {
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

test('comments have names of code between backticks', () => {
  const bare: string[] = [];
  for (const file of files) {
    if (file === GENERATED) continue;
    for (const { line, comment } of commentsOf(file)) {
      for (const [name] of comment.replaceAll(NOT_PROSE, '').matchAll(CAMEL_CASE)) {
        bare.push(`${file}:${line}: ${name}`);
      }
    }
  }
  expect(bare).toEqual([]);
});

test('comments are no wider than the code', () => {
  const wide: string[] = [];
  for (const file of files) {
    if (file === GENERATED) continue;
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
