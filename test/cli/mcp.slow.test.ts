import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { requestOf, VERSIONS } from '../support/mcp-client.ts';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { TTA } from '../support/tta.ts';

const proxy = proxyOfTests();
let port: number;
beforeAll(async () => {
  port = await proxy.listen();
});

test.each(['', 'not a key'])(
  'a call with the key "%s" responds with where a key belongs',
  async (key) => {
    const call = { name: 'reach_from', arguments: { origin: '36,-70.0066', minutes: [10] } };
    const tta = spawn(process.execPath, [TTA, 'mcp', '--api', `http://127.0.0.1:${port}`], {
      env: { ...process.env, API_KEY: key },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    tta.stdin.end(`${JSON.stringify(requestOf('tools/call', call, VERSIONS[1]))}\n`);
    const { result } = JSON.parse(await text(tta.stdout));
    expect(result.content[0].text).toMatch(/ and set API_KEY in the client’s configuration\.$/);
  },
);
