import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openPortalSite } from '../support/portal-site.ts';
import { ofTests } from '../support/test-resources.ts';
import { openWatched } from '../support/watched-page.ts';

const site = ofTests(() => openPortalSite());
const SERVERS = ['portal', 'proxy'] as const;

type ServerName = (typeof SERVERS)[number];

/**
 * Sends `text` on a separate connection, and returns everything received until the server closes
 * it.
 */
async function heardAfter(server: ServerName, text: string): Promise<string> {
  const socket = connect(portOf(server), '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  if (text !== '') socket.write(text);
  await once(socket, 'close');
  return heard;
}

async function reset(server: ServerName): Promise<void> {
  const socket = connect(portOf(server), '127.0.0.1');
  await once(socket, 'connect');
  socket.resetAndDestroy();
}

function portOf(server: ServerName): number {
  return Number(new URL(server === 'portal' ? site.address : site.apiAddress).port);
}

test('a connection without any bytes is closed silently and uncounted; half a head gets 408', async () => {
  const heard = SERVERS.map(async (server) => {
    const [unused, half] = await Promise.all([
      heardAfter(server, ''),
      heardAfter(server, 'GET /v1/health HTTP/1.1\r\nHo'),
      reset(server),
    ]);
    expect(unused).toBe('');
    const [head, body] = half.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(head).toMatch(/^Connection: close$/m);
    expect(JSON.parse(body)).toMatchObject({
      status: 408,
      type: expect.stringMatching(/\/problems\/request-timeout$/),
    });
    const refused = site[server].app.tally.routes.get('unmatched')?.statuses;
    expect([...(refused ?? [])]).toEqual([
      [500, 0],
      [408, 1],
    ]);
  });
  await Promise.all(heard);
});

/**
 * Seconds for which a connection stays unused: more than the ten that a head may take, and about a
 * minute.
 */
const UNUSED_S = [13, 58];

/**
 * Makes a browser connect and leave the connection unused for some seconds; returns the errors that
 * occur when the browser then opens a page.
 */
async function faultsOfPageAfter(server: ServerName, seconds: number): Promise<string[]> {
  const page = server === 'portal' ? `${site.address}/` : `${site.apiAddress}/docs`;
  const context = await site.browser.newContext();
  // A browser connects only to load a page; this placeholder and its icon are served from
  // elsewhere.
  const body = '<link rel="icon" href="data:,">';
  await context.route('**', (route) => route.fulfill({ body, contentType: 'text/html' }));
  const connected = once(site[server].app.server, 'connection');
  await (await context.newPage()).goto(page);
  await connected;
  await context.unroute('**');
  await pause(seconds * 1_000);
  const opened = await openWatched(context, page);
  await opened.page.locator('h1').first().waitFor();
  await context.close();
  return opened.wrong;
}

test('a browser that left a connection unused for some seconds or a minute gets the page it then requests', async () => {
  const opened = SERVERS.flatMap((server) =>
    UNUSED_S.map((seconds) => faultsOfPageAfter(server, seconds)),
  );
  expect(await Promise.all(opened)).toEqual([[], [], [], []]);
});
