import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { nodeFault } from '../../infra/supported-node.ts';

test('an old Node gets one line that names the required version', () => {
  for (const version of ['18.20.8', '19.9.0', '20.18.3', '16.0.0']) {
    expect(nodeFault(version)).toBe(`requires Node 20.19 or newer; this is Node ${version}`);
  }
  for (const version of ['20.19.0', '20.20.2', '22.0.0', '24.11.1', '26.0.0']) {
    expect(nodeFault(version)).toBeNull();
  }
});

test('the required version is the one in package.json', async () => {
  const { engines } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(engines.node).toBe('>=20.19');
});
