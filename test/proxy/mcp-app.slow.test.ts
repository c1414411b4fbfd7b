import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sharedChromium } from '../support/chromium.ts';
import { callTool, requestOf, sendMessage } from '../support/mcp-client.ts';
import { openProxy, type ProxyHarness, proxyOfTests } from '../support/proxy-harness.ts';
import { ofThisTest } from '../support/test-resources.ts';

const withoutPortal = proxyOfTests();

/** Serves the host's page, and at `/embed` a stand-in for the portal's map. */
const site = createServer(({ url }, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(url === '/' ? HOST : 'The map.');
});
let portal: string;
let proxy: ProxyHarness;
let browser: Browser;
beforeAll(async () => {
  await once(site.listen(0, '127.0.0.1'), 'listening');
  portal = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  proxy = await openProxy(inject('demoStore'), { config: { accountUrl: portal } });
  browser = await sharedChromium();
});
afterAll(async () => {
  await proxy?.close();
  site.close();
});

async function request(method: string, params: object) {
  const version = '2026-07-28';
  const { json } = await sendMessage(proxy, requestOf(method, params, version), { version });
  return json.result;
}

/** A host of MCP Apps: shows a page in a sandbox, and sends it a result once it is initialized. */
const HOST = `<iframe sandbox="allow-scripts"></iframe><script>
  window.received = [];
  window.show = (html, result) => {
    const view = document.querySelector('iframe');
    const send = (message) => view.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
    addEventListener('message', ({ source, data }) => {
      if (source !== view.contentWindow) return;
      window.received.push(data);
      if (data.method === 'ui/initialize') {
        const result = { protocolVersion: data.params.protocolVersion, hostContext: {} };
        send({ id: data.id, result: { ...result, hostCapabilities: {}, hostInfo: { name: 'h', version: '1' } } });
      }
      if (data.method === 'ui/notifications/initialized') {
        send({ method: 'ui/notifications/tool-result', params: result });
        send({ id: 'end', method: 'ui/resource-teardown', params: {} });
      }
    });
    view.srcdoc = html;
  };
</script>`;

test('a host shows the result of a tool on the embedded map', async () => {
  const { tools } = await request('tools/list', {});
  const shown = tools.filter((tool: { _meta?: object }) => tool._meta !== undefined);
  expect(shown.map(({ name }: { name: string }) => name)).toEqual(['explain_block', 'find_blocks']);
  const uri = shown[0]._meta.ui.resourceUri;
  const { contents } = await request('resources/read', { uri });
  expect(contents[0].mimeType).toBe('text/html;profile=mcp-app');
  expect(contents[0]._meta.ui.csp).toEqual({ frameDomains: [portal] });

  const args = { origin: '36,-70.0066', types: ['pharmacies'] };
  const { key } = await proxy.customer();
  const result = await callTool(proxy, key, 'explain_block', args);
  const page = await ofThisTest(browser.newPage());
  await page.goto(portal);
  await page.evaluate(
    `window.show(${JSON.stringify(contents[0].text)}, ${JSON.stringify(result)})`,
  );
  const { block } = result.structuredContent;
  await expect
    .poll(() => page.frames().map((frame) => frame.url()))
    .toContain(`${portal}/embed#x=1&b=${block}&m=walk&t=405&map=14/36/-70.0066`);
  await expect
    .poll(() => page.evaluate('window.received'))
    .toEqual([
      expect.objectContaining({ method: 'ui/initialize' }),
      expect.objectContaining({ method: 'ui/notifications/initialized' }),
      expect.objectContaining({ method: 'ui/notifications/size-changed' }),
      { jsonrpc: '2.0', id: 'end', result: {} },
    ]);
});

test('without a portal there is no page, and no tool names one', async () => {
  const version = '2026-07-28';
  const message = requestOf('tools/list', {}, version);
  const { text } = await sendMessage(withoutPortal, message, { version });
  expect(text).not.toContain('ui://');
});
