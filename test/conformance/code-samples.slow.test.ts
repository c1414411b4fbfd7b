import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { ensureDebianPackage } from '../support/debian.ts';
import { pythonTools } from '../support/python-tool.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { demoOfTests } from './demo.ts';

/** The address of the service in its documents; programs are sent to the service of the tests. */
const STATED = 'https://api.example.org';
const demo = demoOfTests(() => ({ config: { baseUrl: STATED } }));
const folder = folderOfTests();
const run = promisify(execFile);
const DONE = '== done';

let api: string;
let key: string;
beforeAll(async () => {
  api = `http://127.0.0.1:${await demo.api.proxy.listen()}`;
  key = (await demo.api.newCustomer({ tokens: 5_000 })).key;
  await mkdir(path.join(folder, 'node_modules'));
  const client = path.join(folder, 'node_modules/travel-time-access-client');
  await symlink(path.resolve('portal/client'), client);
});

/** The programs of all pages of operations in a language, with the service and a key in them. */
async function samplesIn(language: string): Promise<{ operation: string; code: string }[]> {
  const llms = (await demo.api.proxy.get('/llms.txt')).body;
  const operations = [...llms.matchAll(/\/docs\/(\w+)\.md\): /g)].map(([, id]) => id);
  expect(operations.length).toBeGreaterThan(40);
  const found: { operation: string; code: string }[] = [];
  for (const operation of operations) {
    const page = (await demo.api.proxy.get(`/docs/${operation}.md`)).body;
    const [, code] = new RegExp(`\\n\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(page) ?? [];
    if (code)
      found.push({ operation, code: code.replaceAll(STATED, api).replaceAll('YOUR_KEY', key) });
  }
  return found;
}

/** Runs programs one after another by one interpreter; returns what each prints. */
async function printed(
  extension: string,
  codes: readonly { readonly operation: string; readonly code: string }[],
  interpret: (files: readonly string[]) => Promise<string>,
): Promise<string[]> {
  const files = codes.map(({ operation }) => path.join(folder, `${operation}.${extension}`));
  for (const [i, { code }] of codes.entries()) await writeFile(files[i], code);
  const parts = (await interpret(files)).split(DONE).slice(0, -1);
  expect(parts).toHaveLength(codes.length);
  return parts;
}

/** Rows that a program prints are of the example in the document, so that each has some. */
function expectOutput(
  codes: readonly { readonly operation: string }[],
  outputs: readonly string[],
) {
  expect(codes.length).toBeGreaterThan(38);
  const silent = codes.filter((_, i) => outputs[i].trim() === '').map(({ operation }) => operation);
  expect(silent).toEqual([]);
}

test('the curl command of each page has a response that is no problem', async () => {
  const codes = await samplesIn('curl');
  const outputs = await printed('sh', codes, async (files) => {
    const script = files.map((file) => `bash -e ${file} --silent; echo; echo '${DONE}'`).join('\n');
    return (await run('bash', ['-ec', script], { cwd: folder, maxBuffer: 1 << 26 })).stdout;
  });
  const failed = codes.filter((_, i) => /"type":"[^"]*problems/.test(outputs[i]));
  expect(failed.map(({ operation }) => operation)).toEqual([]);
});

test('the TypeScript of each page runs with the client', async () => {
  const codes = await samplesIn('typescript');
  const outputs = await printed('mjs', codes, async (files) => {
    const lines = files.map((file) => `await import('${file}'); console.log('${DONE}');`);
    const main = path.join(folder, 'all.mjs');
    await writeFile(main, lines.join('\n'));
    return (await run(process.execPath, [main], { maxBuffer: 1 << 26 })).stdout;
  });
  expectOutput(codes, outputs);
});

test('the Python of each page runs', async () => {
  const codes = await samplesIn('python');
  const tools = await pythonTools('requests==2.32.5');
  const outputs = await printed('py', codes, async (files) => {
    const main = path.join(folder, 'all.py');
    const lines = files.map((file) => `exec(open("${file}").read()); print("${DONE}")`);
    await writeFile(main, lines.join('\n'));
    return (await run(path.join(tools, 'python'), [main], { maxBuffer: 1 << 26 })).stdout;
  });
  expectOutput(codes, outputs);
});

test('the R of each page runs', async () => {
  const codes = await samplesIn('r');
  await ensureDebianPackage(
    'r-base-core r-cran-httr2 r-cran-jsonlite',
    '/usr/lib/R/site-library/httr2',
  );
  const outputs = await printed('R', codes, async (files) => {
    const main = path.join(folder, 'all.R');
    const lines = files.map(
      (file) => `source("${file}", echo = FALSE, print.eval = TRUE); cat("${DONE}")`,
    );
    await writeFile(main, lines.join('\n'));
    return (await run('Rscript', [main], { maxBuffer: 1 << 26 })).stdout;
  });
  expectOutput(codes, outputs);
});
