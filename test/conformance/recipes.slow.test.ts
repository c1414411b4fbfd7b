import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { folderOfTests } from '../support/temporary-folder.ts';
import { demoOfTests } from './demo.ts';

const demo = demoOfTests();
/** The files that recipes write. */
const folder = folderOfTests();
const run = promisify(execFile);

let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const port = await demo.api.proxy.listen();
  const { key } = await demo.api.newCustomer({ tokens: 1_000 });
  env = { ...process.env, API: `http://127.0.0.1:${port}`, KEY: key, BLOCK: demo.block.geoid };
});

/** The code blocks of a recipe in order: language and text. */
async function blocksOf(recipe: string): Promise<{ language: string; text: string }[]> {
  const document = await readFile(`infra/docs/recipes/${recipe}.md`, 'utf8');
  return [...document.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => {
    return { language, text: text.trim() };
  });
}

test.each(['amenity-basket', 'dual-access', 'own-sites'])(
  'the requests of %s have the responses that it shows',
  async (recipe) => {
    let answer = '';
    let shown = 0;
    for (const { language, text } of await blocksOf(recipe)) {
      if (language === 'sh') {
        answer = (await run('bash', ['-ec', text], { env, cwd: folder })).stdout;
        expect(answer).not.toContain('problems');
        continue;
      }
      shown++;
      if (language === 'json') expect(JSON.parse(text)).toEqual(JSON.parse(answer));
      else expect(text.split('\n')).toEqual(answer.trim().split(/\r?\n/));
    }
    expect(shown).toBeGreaterThan(0);
  },
);
