import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { BuildError } from '../../builder/errors.ts';
import { announceDownload } from '../../builder/fetch/announce-download.ts';
import { type Download, download } from '../../builder/fetch/download.ts';
import { downloadAll } from '../../builder/fetch/download-all.ts';
import { FetchFolder } from '../../builder/fetch/fetch-folder.ts';
import { Http } from '../../builder/fetch/http.ts';
import { silent } from '../../builder/progress.ts';
import { forAll } from '../support/for-all.ts';
import { type Fault, Mirror } from './mirror.ts';
import { scratchFolders } from './scratch-folders.ts';

const FILE = '/file.bin';
const folderPath = scratchFolders();
let mirror: Mirror;
let http: Http;

beforeAll(async () => {
  mirror = await Mirror.start();
  http = new Http({ idleMs: 1_500, retryMs: 2, namedHosts: [mirror.host] });
});
afterAll(async () => {
  await http.close();
  await mirror.close();
});
beforeEach(() => {
  mirror.takeSent();
  mirror.fail(FILE);
});

const wanted = (over: Partial<Download> = {}): Download => ({
  url: `${mirror.url}${FILE}`,
  file: 'in/file.bin',
  maxBytes: 1e8,
  check: async () => {},
  ...over,
});

/** Runs the command once; even if it throws, it leaves the folder free for the next run. */
async function fetchInto(root: string, over: Partial<Download> = {}): Promise<Buffer> {
  const folder = await FetchFolder.open(root);
  try {
    return readFileSync(await download(wanted(over), http, folder, () => {}));
  } finally {
    await folder.close();
  }
}

async function failure(root: string, over: Partial<Download> = {}): Promise<string> {
  const error = await fetchInto(root, over).then(
    () => null,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(BuildError);
  return error.message;
}

const isEmpty = (root: string) =>
  !existsSync(path.join(root, 'in')) || readdirSync(path.join(root, 'in')).length === 0;

/** Bytes that may be in flight on a connection, and are lost when it breaks. */
const IN_FLIGHT = 512_000;

test('an interrupted download resumes where it stopped, byte for byte', async () => {
  const bytes = randomBytes(3_000_000);
  mirror.put(FILE, bytes);
  mirror.fail(FILE, { cutAfter: 2_000_000 });
  expect((await fetchInto(folderPath())).equals(bytes)).toBe(true);
  const [first, second, ...others] = mirror.gets(FILE);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ status: 200, range: null, sent: 2_000_000 });
  expect(second.status).toBe(206);
  const from = Number(/^bytes=(\d+)-$/.exec(second.range ?? '')?.[1]);
  expect(from).toBeGreaterThan(2_000_000 - IN_FLIGHT);
  expect(second.sent).toBe(bytes.length - from);
});

test('a download is resumed however often it is cut, for as long as bytes arrive', async () => {
  const bytes = randomBytes(12_000_000);
  mirror.put(FILE, bytes);
  mirror.fail(FILE, ...Array.from({ length: 9 }, () => ({ cutAfter: 1_100_000 })));
  expect((await fetchInto(folderPath())).equals(bytes)).toBe(true);
});

test('a download that the last run left, whose server failed, resumes where it stopped', async () => {
  const bytes = randomBytes(8_000_000);
  const root = folderPath();
  mirror.put(FILE, bytes);
  const cuts = Array.from({ length: 6 }, () => ({ cutAfter: 1_100_000 }));
  mirror.fail(FILE, ...cuts, ...Array.from({ length: 6 }, () => ({ status: 503 })));
  expect(await failure(root)).toMatch(/file\.bin: .*tried 6 times.*to resume/);
  expect(existsSync(path.join(root, 'in/file.bin'))).toBe(false);
  mirror.takeSent();
  expect((await fetchInto(root)).equals(bytes)).toBe(true);
  expect(mirror.takeSent()).toBeLessThan(bytes.length - 6 * (1_100_000 - IN_FLIGHT));
});

test('a second fetch downloads nothing, whatever version headers the server sends', async () => {
  for (const validators of ['both', 'date', 'weak'] as const) {
    const root = folderPath();
    mirror.put(FILE, randomBytes(50_000), validators);
    const first = await fetchInto(root);
    mirror.takeSent();
    expect((await fetchInto(root)).equals(first)).toBe(true);
    expect(mirror.gets(FILE).map(({ status }) => status)).toEqual([304]);
    expect(mirror.takeSent()).toBe(0);
  }
});

test('a file that was changed or lost is fetched again', async () => {
  const root = folderPath();
  mirror.put(FILE, 'one');
  await fetchInto(root);
  mirror.put(FILE, 'another');
  expect((await fetchInto(root)).toString()).toBe('another');
  truncateSync(path.join(root, 'in/file.bin'), 3);
  expect((await fetchInto(root)).toString()).toBe('another');
});

test('a file that has been damaged since, to the same size, is fetched again', async () => {
  const root = folderPath();
  mirror.put(FILE, 'one');
  await fetchInto(root);
  writeFileSync(path.join(root, 'in/file.bin'), 'two');
  expect((await fetchInto(root)).toString()).toBe('one');
});

test('a young file is kept without a word to its server, and an older one is asked for', async () => {
  const root = folderPath();
  const keepForMs = 7 * 86_400_000;
  mirror.put(FILE, 'one');
  await fetchInto(root, { keepForMs });
  mirror.takeSent();
  mirror.put(FILE, 'another');
  expect((await fetchInto(root, { keepForMs })).toString()).toBe('one');
  expect(mirror.exchanges).toEqual([]);
  expect((await fetchInto(root)).toString()).toBe('another');

  const list = path.join(root, 'sources.json');
  const sources = JSON.parse(readFileSync(list, 'utf8'));
  for (const [days, exchanges] of [
    [6.9, 0],
    [7.1, 1],
    // A record of tomorrow, when the clock was wrong.
    [-1, 1],
  ]) {
    mirror.takeSent();
    const fetched_at = new Date(Date.now() - days * 86_400_000).toISOString();
    sources.files['in/file.bin'].fetched_at = fetched_at;
    writeFileSync(list, JSON.stringify(sources));
    await fetchInto(root, { keepForMs });
    expect(mirror.exchanges).toHaveLength(exchanges);
  }
});

test('a partial file that has changed since is not resumed', async () => {
  for (const validators of ['both', 'date', 'weak', 'none'] as const) {
    const root = folderPath();
    mirror.put(FILE, randomBytes(200_000), 'both');
    mirror.fail(FILE, ...Array.from({ length: 6 }, () => ({ cutAfter: 20_000 })));
    await failure(root);
    const bytes = randomBytes(200_000);
    mirror.put(FILE, bytes, validators);
    expect((await fetchInto(root)).equals(bytes)).toBe(true);
  }
});

test('a server that ignores ranges restarts the file', async () => {
  const bytes = randomBytes(200_000);
  mirror.put(FILE, bytes);
  mirror.fail(FILE, { cutAfter: 100_000 }, 'ignore-range');
  expect((await fetchInto(folderPath())).equals(bytes)).toBe(true);
  expect(mirror.gets(FILE).map(({ status }) => status)).toEqual([200, 200]);
});

test('a server that sends a different range than requested is not trusted', async () => {
  const bytes = randomBytes(200_000);
  mirror.put(FILE, bytes);
  mirror.fail(FILE, { cutAfter: 100_000 }, { wrongRangeBy: 1 });
  expect((await fetchInto(folderPath())).equals(bytes)).toBe(true);
});

test('retries an overloaded server after the delay it requests', async () => {
  mirror.put(FILE, 'good');
  const begun = performance.now();
  mirror.fail(FILE, { status: 500 }, { status: 503, headers: { 'retry-after': '1' } });
  expect((await fetchInto(folderPath())).toString()).toBe('good');
  expect(mirror.gets(FILE).map(({ status }) => status)).toEqual([500, 503, 200]);
  expect(performance.now() - begun).toBeGreaterThan(990);
});

test('reports a missing or protected file at once', async () => {
  for (const status of [401, 403, 404, 410]) {
    mirror.takeSent();
    mirror.fail(FILE, { status });
    expect(await failure(folderPath())).toMatch(
      new RegExp(`${FILE}: (not found|access denied) .*${status}`),
    );
    expect(mirror.gets(FILE)).toHaveLength(1);
  }
});

test('sends a request once when no retry can help, and repeats it when one can', async () => {
  for (const status of [400, 402, 405, 406, 409, 414, 418, 451, 501, 505]) {
    mirror.takeSent();
    mirror.fail(FILE, { status });
    expect(await failure(folderPath())).toContain(String(status));
    expect([status, mirror.gets(FILE).length]).toEqual([status, 1]);
  }
  mirror.put(FILE, 'good');
  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    mirror.takeSent();
    mirror.fail(FILE, { status });
    expect((await fetchInto(folderPath())).toString()).toBe('good');
    expect([status, mirror.gets(FILE).length]).toEqual([status, 2]);
  }
});

test('does not start a file that declares itself too large', async () => {
  const root = folderPath();
  mirror.put(FILE, randomBytes(200_000));
  const message = await failure(root, { maxBytes: 199_999 });
  expect(message).toMatch(/file\.bin: is larger than 199999 bytes/);
  expect(isEmpty(root)).toBe(true);
  expect(mirror.gets(FILE)).toHaveLength(1);
  expect(await fetchInto(root, { maxBytes: 200_000 })).toHaveLength(200_000);
});

test('a file of undeclared size stops at the limit, and nothing is kept', async () => {
  const root = folderPath();
  mirror.put(FILE, randomBytes(8_000_000));
  mirror.fail(FILE, 'without-length');
  expect(await failure(root, { maxBytes: 100_000 })).toMatch(/is larger than 100000 bytes/);
  expect(isEmpty(root)).toBe(true);
  expect(mirror.gets(FILE)).toHaveLength(1);
});

test('does not start a file that does not fit on the disk', async () => {
  const root = folderPath();
  mirror.put(FILE, 'much');
  mirror.fail(FILE, { saysBytes: 1e15 });
  const message = await failure(root, { maxBytes: 1e16 });
  expect(message).toMatch(/file\.bin: has 1000000000000000 bytes, but .* room for \d+; free/);
  expect([isEmpty(root), mirror.gets(FILE).length]).toEqual([true, 1]);
});

test('gives up on a silent server, but not on a slow one', async () => {
  const bytes = randomBytes(100_000);
  mirror.put(FILE, bytes);
  mirror.fail(FILE, { silentAfter: 50_000 }, { stallMs: 500 });
  expect((await fetchInto(folderPath())).equals(bytes)).toBe(true);
  expect(mirror.gets(FILE)).toHaveLength(2);
});

test('follows up to five redirects, to http and https only', async () => {
  mirror.put(FILE, 'there');
  const to = (target: string): Fault => ({ redirectTo: target });
  mirror.fail(FILE, ...Array.from({ length: 5 }, () => to(`${mirror.url}${FILE}`)));
  expect((await fetchInto(folderPath())).toString()).toBe('there');
  mirror.fail(FILE, ...Array.from({ length: 6 }, () => to(FILE)));
  expect(await failure(folderPath())).toMatch(/file\.bin: redirects more than 5 times/);
  mirror.fail(FILE, to('file:///etc/passwd'));
  expect(await failure(folderPath())).toMatch(/redirects to file:\/\/\/etc\/passwd, which is not/);
});

test('does not keep a file with a wrong checksum', async () => {
  const root = folderPath();
  const md5Url = `${mirror.url}/file.md5`;
  mirror.put(FILE, 'the file');
  mirror.put('/file.md5', `${'0'.repeat(32)}  file.bin\n`);
  expect(await failure(root, { md5Url })).toMatch(/file\.bin: its MD5 is .* has 0{32}/);
  expect(isEmpty(root)).toBe(true);
  mirror.put('/file.md5', `${createHash('md5').update('the file').digest('hex')}  file.bin\n`);
  expect((await fetchInto(root, { md5Url })).toString()).toBe('the file');
});

test('does not refetch a complete file whose checksum is not available yet', async () => {
  const root = folderPath();
  const md5Url = `${mirror.url}/late.md5`;
  const bytes = randomBytes(60_000);
  mirror.put(FILE, bytes);
  expect(await failure(root, { md5Url })).toMatch(/late\.md5: not found/);
  expect(existsSync(path.join(root, 'in/file.bin'))).toBe(false);
  mirror.put('/late.md5', createHash('md5').update(bytes).digest('hex'));
  mirror.takeSent();
  expect((await fetchInto(root, { md5Url })).equals(bytes)).toBe(true);
  expect(mirror.takeSent()).toBe(32);
});

test('a file of the wrong kind is not kept and replaces no valid one', async () => {
  const root = folderPath();
  const check = async (file: string) => {
    if (!readFileSync(file, 'utf8').startsWith('PK')) throw new BuildError(`${file}: no zip`);
  };
  mirror.put(FILE, 'PK good');
  await fetchInto(root, { check });
  mirror.put(FILE, '<html>log in</html>');
  expect(await failure(root, { check })).toMatch(
    /^http.*file\.bin: the download is not the expected .*no zip/,
  );
  expect(readdirSync(path.join(root, 'in'))).toEqual(['file.bin']);
  expect(readFileSync(path.join(root, 'in/file.bin'), 'utf8')).toBe('PK good');
});

test('refuses a body in a content-encoding that was not requested', async () => {
  mirror.put(FILE, 'x');
  mirror.fail(FILE, 'gzip');
  expect(await failure(folderPath())).toMatch(/content-encoding gzip/);
});

test('sources.json records source, time, size and digest of each file', async () => {
  const root = folderPath();
  mirror.put(FILE, 'content');
  const before = Date.now();
  await fetchInto(root);
  const { files } = JSON.parse(readFileSync(path.join(root, 'sources.json'), 'utf8'));
  const { fetched_at, ...source } = files['in/file.bin'];
  expect(source).toEqual({
    url: wanted().url,
    bytes: 7,
    sha256: createHash('sha256').update('content').digest('hex'),
    etag: `"${createHash('md5').update('content').digest('hex')}"`,
    last_modified: 'Tue, 04 Nov 2025 10:00:00 GMT',
  });
  expect(Date.parse(fetched_at)).toBeGreaterThanOrEqual(before);
});

test('downloads two files at a time from a host, and one failure does not stop the others', async () => {
  const root = folderPath();
  const files = Array.from({ length: 8 }, (_, i): Download => {
    mirror.put(`/many/${i}`, randomBytes(30_000));
    mirror.fail(`/many/${i}`, { stallMs: 30 });
    return {
      url: `${mirror.url}/many/${i}`,
      file: `many/${i}`,
      maxBytes: 1e8,
      check: async () => {},
    };
  });
  mirror.remove('/many/3');
  mirror.maxAtOnce = 0;
  const folder = await FetchFolder.open(root);
  const errors = await downloadAll('many', files, { http, folder, progress: silent });
  await folder.close();
  expect(errors.map((error) => error !== null)).toEqual(files.map((_, i) => i === 3));
  expect(mirror.maxAtOnce).toBe(2);
  expect(readdirSync(path.join(root, 'many'))).toHaveLength(7);
});

test('a host that asks for it has one connection, and others have two', async () => {
  const files = Array.from({ length: 4 }, (_, i) => `/${i}.bin`);
  for (const file of files) mirror.put(file, randomBytes(200_000));
  for (const [singleHosts, most] of [
    [[mirror.host], 1],
    [[], 2],
  ] as const) {
    const client = new Http({ namedHosts: [mirror.host], singleHosts });
    for (const file of files) mirror.fail(file, { stallMs: 50 });
    mirror.maxAtOnce = 0;
    await Promise.all(files.map((file) => client.text(`${mirror.url}${file}`)));
    await client.close();
    expect(mirror.maxAtOnce).toBe(most);
  }
});

test('large downloads are told with size and time, and begin once they are confirmed', async () => {
  const root = folderPath();
  const notes: string[] = [];
  const progress = { ...silent, note: (line: string) => notes.push(line) };
  mirror.put('/large.bin', Buffer.alloc(150_000_000));
  mirror.put('/small.bin', Buffer.alloc(1_500_000));
  const of = (name: string) => wanted({ url: `${mirror.url}/${name}.bin`, file: `in/${name}.bin` });
  const groups = [
    { name: 'streets', files: [of('large')] },
    { name: 'transit', files: [of('small')] },
  ];
  const folder = await FetchFolder.open(root);
  const session = { http, folder, progress };
  const asked: string[] = [];
  const answer = (yes: boolean) => async (told: string) => {
    asked.push(told);
    return yes;
  };
  const large =
    'to download: 152 MB in 2 files (streets 150 MB, transit 1.5 MB), about 30 s at 5 MB/s';
  await expect(announceDownload(groups, [], answer(false), session)).rejects.toThrow(
    'the download was declined; run the same command again to start it',
  );
  await announceDownload(groups, ['Overture places'], answer(true), session);
  const others = '; the size of Overture places shows as they are read';
  expect(asked).toEqual([large, `${large}${others}`]);
  await announceDownload(groups.slice(1), [], answer(false), session);
  await downloadAll('transit', groups[1].files, session);
  await announceDownload(groups.slice(1), [], answer(false), session);
  expect(notes.slice(2)).toEqual([
    'to download: 1.5 MB in 1 file (transit 1.5 MB), about 0.3 s at 5 MB/s',
    'to download: nothing new',
  ]);
  expect(asked).toHaveLength(2);
  expect(mirror.gets('/large.bin')).toEqual([]);
  await folder.close();
});

test('two fetches do not write to one folder', async () => {
  const root = folderPath();
  const folder = await FetchFolder.open(root);
  await expect(FetchFolder.open(root)).rejects.toThrow(/another fetch \(process \d+\) is writing/);
  await folder.close();
  await (await FetchFolder.open(root)).close();
});

test('whatever goes wrong on the way, the kept file is complete', async () => {
  const fault: fc.Arbitrary<Fault> = fc.oneof(
    fc.record({ cutAfter: fc.integer({ min: 0, max: 90_000 }) }),
    fc.record({ status: fc.constantFrom(500, 502, 503, 429) }),
    fc.record({ wrongRangeBy: fc.integer({ min: 1, max: 9 }) }),
    fc.constant('ignore-range' as const),
    fc.constant('without-length' as const),
  );
  const version = fc.record({
    size: fc.integer({ min: 0, max: 90_000 }),
    validators: fc.constantFrom('both' as const, 'date' as const, 'weak' as const, 'none' as const),
    faults: fc.array(fault, { maxLength: 7 }),
  });
  await forAll(40, fc.array(version, { minLength: 1, maxLength: 4 }), async (versions) => {
    const root = folderPath();
    for (const { size, validators, faults } of versions) {
      const bytes = randomBytes(size);
      // By date alone a server cannot distinguish two versions of the same second.
      mirror.put(FILE, bytes, validators === 'date' ? 'none' : validators);
      mirror.fail(FILE, ...faults);
      const got = await fetchInto(root).catch((error) => {
        if (!(error instanceof BuildError)) throw error;
        return null;
      });
      if (got !== null) expect(got.equals(bytes)).toBe(true);
    }
  });
});
