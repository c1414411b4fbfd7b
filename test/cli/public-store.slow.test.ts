import { expect, inject, test } from 'vitest';
import { startNginx } from '../support/nginx.ts';
import { ofTests } from '../support/test-resources.ts';
import { commandsOfTests } from '../support/tta.ts';

const nginx = ofTests(() => startNginx(inject('demoStore')));

const runIn = commandsOfTests();
const tta = (...args: string[]) => runIn({ NODE_EXTRA_CA_CERTS: nginx.caFile }, ...args);

test('a release behind https is shown and verified, also by its manifest’s name', async () => {
  const shown = await tta('release', 'show', '--verbose', '--store', nginx.https);
  expect(shown.stdout).toMatch(/^release demo, current/);
  const manifest = /manifests\/(demo-\w+)\.json/.exec(shown.stdout)?.[1] ?? '';
  const named = await tta('release', 'show', manifest, '--store', nginx.https);
  expect(named.stdout).toMatch(/^release demo: /);
  const verified = await tta('release', 'verify', '--store', nginx.https);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('is intact') });
  const object = /index\/99001-\w+\.tta/.exec(shown.stdout)?.[0];
  const inspected = await tta('inspect', `${nginx.https}/${object}`);
  expect(inspected.stdout).toMatch(/index: [\d,]+ blocks/);
});

test('commands that would write to or list a store behind https fail with the reason', async () => {
  const store = ['--store', nginx.https];
  for (const verb of [['list'], ['promote', 'demo'], ['gc']]) {
    const { code, stderr } = await tta('release', ...verb, ...store);
    expect([code, stderr]).toEqual([1, expect.stringContaining('this store is read-only; give')]);
  }
  const build = await tta('build', '--osm', 'a', '--blocks', 'b', '--out', nginx.https);
  expect([build.code, build.stderr]).toEqual([1, expect.stringContaining('is read-only')]);
  const labelled = await tta('release', 'show', 'demo', ...store);
  expect([labelled.code, labelled.stderr]).toEqual([
    1,
    expect.stringMatching(/has no manifest "demo", and cannot list .*give the name of a manifest/),
  ]);
});
