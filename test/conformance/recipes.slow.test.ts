import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { MAP_COLOURS } from '../../portal/map-classes.ts';
import { ensureDebianPackage } from '../support/debian.ts';
import { startNginx } from '../support/nginx.ts';
import { pixelsOf } from '../support/picture-pixels.ts';
import { pythonTools } from '../support/python-tool.ts';
import { folderOfTests } from '../support/temporary-folder.ts';
import { demoOfTests } from './demo.ts';

const demo = demoOfTests();
/** The files that recipes write. */
const folder = folderOfTests();
const run = promisify(execFile);
/** The county of the city in the recipes. */
const COUNTY = '99001';

let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const port = await demo.api.proxy.listen();
  const { key } = await demo.api.newCustomer({ tokens: 2_000 });
  env = { ...process.env, API: `http://127.0.0.1:${port}`, KEY: key, BLOCK: demo.block.geoid };
});

/**
 * Runs the R code blocks of a recipe as one script, on the county's polygons behind a web server;
 * returns what each block prints.
 */
async function runR(blocks: readonly string[]): Promise<string[]> {
  await ensureDebianPackage('r-base-core r-cran-sf r-cran-curl', '/usr/lib/R/site-library/sf');
  const server = await startNginx(inject('demoStore'));
  try {
    const { objects } = demo.api.proxy.releases.current.county(COUNTY)!;
    const script = path.join(folder, 'recipe.R');
    await writeFile(script, blocks.join('\ncat("\\f")\n'));
    const withBlocks = { ...env, BLOCKS: `${server.http}/${objects.blocks.name}` };
    const { stdout } = await run('Rscript', [script], { env: withBlocks, cwd: folder });
    return stdout.split('\f');
  } finally {
    await server.stop();
  }
}

/** The code blocks of a recipe in order: language and text. */
async function blocksOf(recipe: string): Promise<{ language: string; text: string }[]> {
  const document = await readFile(`infra/docs/recipes/${recipe}.md`, 'utf8');
  return [...document.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => {
    return { language, text: text.trim() };
  });
}

test.each([
  'amenity-basket',
  'clinics-per-1000',
  'dual-access',
  'home-search',
  'one-more-store',
  'own-sites',
  'trip-legs',
])('the requests of the recipe %s have the responses that it shows', async (recipe) => {
  let response = '';
  let shown = 0;
  for (const { language, text } of await blocksOf(recipe)) {
    if (language === 'sh') {
      response = (await run('bash', ['-ec', text], { env, cwd: folder })).stdout;
      expect(response).not.toContain('problems');
      continue;
    }
    shown++;
    if (language === 'json') expect(JSON.parse(text)).toEqual(JSON.parse(response));
    else expect(text.split('\n')).toEqual(response.trim().split(/\r?\n/));
  }
  expect(shown).toBeGreaterThan(0);
});

test('each Python block of a recipe, run alone, prints what the recipe shows, by pages and by a client', async () => {
  const blocks = await blocksOf('python');
  const codes = blocks.filter(({ language }) => language === 'python').map(({ text }) => text);
  const shown = blocks.filter(({ language }) => language === 'text').map(({ text }) => text);
  const tools = await pythonTools('geopandas==1.2.0', 'closecity==1.5.0');
  const printed: string[] = [];
  for (const code of codes) {
    const python = path.join(tools, 'python');
    printed.push((await run(python, ['-c', code], { env, cwd: folder })).stdout.trim());
  }
  expect(printed).toEqual(shown);
});

test('the R code of a recipe prints the tables that it shows, and draws the map in its colours', async () => {
  const blocks = await blocksOf('r');
  const codes = blocks.filter(({ language }) => language === 'r').map(({ text }) => text);
  const shown = blocks.filter(({ language }) => language === 'text').map(({ text }) => text);
  const printed = await runR(codes);
  const lines = (text: string) => text.split('\n').map((line) => line.trim());
  expect(
    printed
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .map(lines),
  ).toEqual(shown.map(lines));
  const map = pixelsOf(await readFile(path.join(folder, 'libraries.png')));
  const seen = new Set<string>();
  for (let y = 0; y < map.height; y += 2) {
    for (let x = 0; x < map.width; x += 2) seen.add(map.colourAt(x, y));
  }
  const { classes, beyond, stripe } = MAP_COLOURS.light;
  for (const colour of [...classes, beyond, stripe]) expect(seen).toContain(colour);
});
