import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  codeIn,
  type Language,
  NO_KEY,
  type SampleRequest,
} from '../../proxy/docs/code-samples.ts';
import { ANY_CHARACTER } from '../support/any-character.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const folder = folderOfTests();
const seed = Math.floor(Math.random() * 2 ** 31);
const DONE = '\n== done\n';

/** Characters that end texts, comments and lines, or begin escapes, in some language. */
const AWKWARD = fc.constantFrom(
  ...`'"\\\`$(){}[]<>,;:!#%&@*~-= \t\n\r\u2028é😀`,
  '  ',
  ')---"',
  '\\n',
);
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: AWKWARD }, ANY_CHARACTER), { maxLength: 12 })
  // No program of a shell holds a zero, and R reads its files in lines.
  .map((parts) => parts.join('').replaceAll(/[\0\u{fffe}\u{ffff}]/gu, ''));
const scalar = fc.oneof(text, fc.integer(), fc.constantFrom(0.5, -76.61, 1e-7, true, false, null));
const site = fc.record({ id: text, lat: fc.constantFrom(39.3, -5), address: text });
const parameters = fc.record({
  q: text,
  of: fc.array(scalar, { maxLength: 3 }),
  area: fc.record({ places: fc.array(text, { maxLength: 2 }) }),
  sites: fc.array(site, { maxLength: 2 }),
  one: scalar,
});
const request = fc
  .record({
    parameters,
    path: text.map((q) => `/v1/places?q=${encodeURIComponent(q)}`),
    key: fc.constantFrom(null, NO_KEY),
    isPost: fc.boolean(),
  })
  .map((made): SampleRequest => {
    return { ...made, baseUrl: 'https://api.example.org', operation: 'findPlaces' };
  });
const requests = fc.sample(request, { seed, numRuns: 150 });

interface Sent {
  readonly url?: string;
  readonly key: string | null;
  readonly body: unknown;
}

/** The requests that programs of all languages but TypeScript must send. */
const expected = requests.map(({ baseUrl, path, key, isPost, parameters }): Sent => {
  return { url: baseUrl + path, key, body: isPost ? parameters : null };
});

/** The programs in a language, each followed by a mark, in a file. */
async function programs(language: Language, extension: string, before: string, mark: string) {
  const file = path.join(folder, `all.${extension}`);
  const codes = requests.map((one) => `${codeIn(language, one)}\n${mark}`);
  await writeFile(file, [before, ...codes].join('\n'));
  return file;
}

/** The requests that programs have printed between marks: address, key and body, one a line. */
function sentBy(stdout: string): Sent[] {
  return stdout
    .split(DONE)
    .slice(0, -1)
    .map((part) => {
      const [url, authorization, body] = part.split('\n');
      const key = authorization === '' ? null : authorization.replace('Bearer ', '');
      return { url, key, body: body === '' ? null : JSON.parse(body) };
    });
}

beforeAll(() => ensureDebianPackage('r-base-core', '/usr/bin/Rscript'));

test(`curl sends what was asked for, with seed ${seed}`, async () => {
  const stub = `curl() {
  local key= json= url=
  while [ $# -gt 0 ]; do
    case "$1" in
      -H) key="\${2#Authorization: }"; shift 2;;
      --json) json="$2"; shift 2;;
      *) url="$1"; shift;;
    esac
  done
  printf '%s\\n%s\\n%s' "$url" "$key" "$json"
}`;
  const file = await programs('curl', 'sh', stub, `printf '%s' '${DONE}'`);
  expect(sentBy((await run('bash', [file])).stdout)).toEqual(expected);
});

test(`Python sends what was asked for, with seed ${seed}`, async () => {
  const stub = `import json, sys, types
def send(url, headers={}, json=None, timeout=None):
    text = "" if json is None else sys.modules["json"].dumps(json)
    print(url, headers.get("Authorization", ""), text, sep="\\n", end="", file=sys.__stdout__)
    reply = types.SimpleNamespace(raise_for_status=lambda: None, json=lambda: {}, headers={"X-Tokens-Remaining": 1})
    return reply
sys.modules["requests"] = types.SimpleNamespace(get=send, post=send)
print = lambda *values, **named: __builtins__.print(*values, **named) if "file" in named else None
`;
  const mark = `sys.__stdout__.write(${JSON.stringify(DONE)})`;
  const file = await programs('Python', 'py', stub, mark);
  const { stdout } = await run('python3', ['-X', 'utf8', file]);
  expect(sentBy(stdout)).toEqual(expected);
});

test(`R sends what was asked for, with seed ${seed}`, async () => {
  const stub = `library <- function(...) NULL
request <- function(url) list(url = url, key = "", body = "")
req_auth_bearer_token <- function(sent, key) { sent$key <- paste("Bearer", key); sent }
req_body_raw <- function(sent, body, type) { sent$body <- body; sent }
req_perform <- function(sent) { cat(sent$url, sent$key, sent$body, sep = "\\n"); sent }
resp_body_json <- function(...) NULL
resp_header <- function(...) NULL`;
  const mark = `cat(${JSON.stringify(DONE)})`;
  const file = await programs('R', 'R', stub, mark);
  const code = `invisible(source(${JSON.stringify(file)}, encoding = "UTF-8"))`;
  const env = { ...process.env, LC_ALL: 'C.UTF-8' };
  const { stdout } = await run('Rscript', ['-e', code], { env, maxBuffer: 1 << 26 });
  expect(sentBy(stdout)).toEqual(expected);
});

test(`TypeScript calls the client with what was asked for, with seed ${seed}`, async () => {
  for (const one of requests) {
    const code = codeIn('TypeScript', one).replace(/^import .*;\n/, '');
    const calls: object[] = [];
    const createClient = (options: object) => ({
      findPlaces(parameters: object) {
        calls.push({ options, parameters });
        return { data: {}, tokens: {} };
      },
    });
    const body = `return (async () => {\n${code}\n})();`;
    await new Function('createClient', 'console', body)(createClient, { log() {}, table() {} });
    const { baseUrl, key, parameters } = one;
    const options = key === null ? { baseUrl } : { baseUrl, apiKey: key };
    expect(calls).toEqual([{ options, parameters }]);
  }
});
