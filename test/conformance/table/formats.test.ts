import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Call, expectOk } from '../api.ts';
import { type Demo, openDemo } from '../demo.ts';
import { METERED_GETS } from '../routes.ts';

let demo: Demo;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo.api.close());

const ask = (call: Call, accept?: string) =>
  demo.api.call({ ...call, headers: accept === undefined ? {} : { accept } });

describe.each(METERED_GETS)('the same rows in another form: $route', ({ request, rows }) => {
  test('JSON is what is given unless something else is asked for', async () => {
    const plain = await ask(request(demo));
    expectOk(plain);
    for (const accept of [
      '*/*',
      'application/json',
      'application/*;q=0.5',
      'text/html, */*;q=0.1',
    ]) {
      const answer = await ask(request(demo), accept);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect([answer.body, answer.headers.etag]).toEqual([plain.body, plain.headers.etag]);
    }
  });

  test('ndjson has one row a line, and costs the same', async () => {
    const plain = await ask(request(demo));
    const answer = await ask(request(demo), 'application/x-ndjson');
    expect(answer.headers['content-type']).toMatch(/^application\/x-ndjson/);
    const lines = answer.body.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line))).toEqual(expectOk(plain)[rows]);
    expect(answer.headers['x-tokens-charged']).toBe(plain.headers['x-tokens-charged']);
  });

  test('CSV has a line of names and one line a row, and costs the same', async () => {
    const plain = await ask(request(demo));
    const answer = await ask(request(demo), 'text/csv');
    expect(answer.headers['content-type']).toMatch(/^text\/csv/);
    const [names, ...lines] = parseCsv(answer.body);
    const results: Record<string, unknown>[] = expectOk(plain)[rows];
    expect(lines).toHaveLength(results.length);
    for (const [i, row] of results.entries()) {
      for (const [name, value] of Object.entries(row)) {
        if (typeof value === 'object') continue;
        expect([name, lines[i][names.indexOf(name)]]).toEqual([name, String(value)]);
      }
    }
    expect(answer.headers['x-tokens-charged']).toBe(plain.headers['x-tokens-charged']);
  });

  test('each form has an ETag of its own', async () => {
    const etags = new Set<unknown>();
    for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
      const { headers } = await ask(request(demo), accept);
      etags.add(headers.etag);
      const call = { ...request(demo), headers: { accept, 'if-none-match': String(headers.etag) } };
      expect((await demo.api.call(call)).statusCode).toBe(304);
    }
    expect(etags.size).toBe(3);
  });
});

/** CSV as RFC 4180 has it: quoted fields may hold commas, line ends and doubled quotes. */
function parseCsv(text: string): string[][] {
  const records: string[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    records.at(-1)!.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') records.push([]);
  }
  return records.filter((record) => record.some((field) => field !== ''));
}
