import { expect, test } from 'vitest';
import { terminalProgress } from '../../infra/cli/terminal-progress.ts';

/** The last line of a stage on a terminal, once `done` of its units are done after `seconds`. */
function lineAt(done: number, total: number | null, seconds: number): string {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  let now = 0;
  const stage = terminalProgress({ isTTY: true, write }, () => now).start('fetch', total, 'MB');
  now = seconds * 1000;
  stage.at(done);
  return written.at(-1)!.replace('\r\x1b[2K', '');
}

test.each<[number, number | null, number, string]>([
  [24, 60, 60, 'fetch: 40 %, 24 of 60 MB, 0.4 MB/s, 90 s left'],
  [45, 60, 10, 'fetch: 75 %, 45 of 60 MB, 4.5 MB/s, 3.3 s left'],
  [1_200, 1_500, 10, 'fetch: 80 %, 1,200 of 1,500 MB, 120 MB/s, 2.5 s left'],
  [4, null, 8, 'fetch: 4 MB, 0.5 MB/s'],
])('a rate below ten has a decimal: %d of %s in %d s', (done, total, seconds, line) => {
  expect(lineAt(done, total, seconds)).toBe(line);
});

test('a rate that would round to zero is left out', () => {
  expect(lineAt(0, null, 60)).toBe('fetch: 0 MB');
  expect(lineAt(1, null, 60)).toBe('fetch: 1 MB');
  expect(lineAt(0, 60, 60)).toBe('fetch: 0 %, 0 of 60 MB');
});

test('the time left is shown after three seconds and three percent', () => {
  expect(lineAt(50, 100, 2.9)).not.toContain('left');
  expect(lineAt(2, 100, 30)).toBe('fetch: 2 %, 2 of 100 MB');
  expect(lineAt(3, 100, 3)).toContain('1.0 MB/s, 97 s left');
});
