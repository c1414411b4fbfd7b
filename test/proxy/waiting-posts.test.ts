import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { proxyOfTests } from '../support/proxy-harness.ts';
import { smallReleaseOfTests } from '../support/small-release.ts';
import { smallCounty } from '../support/small-world.ts';

const county = smallCounty({ fips: '24510', seed: 22, blocks: 12, pois: 40 });
const proxy = proxyOfTests({ store: smallReleaseOfTests(county) });

test('a POST whose client has left while it waited for its turn is neither charged nor logged', async () => {
  const logged: unknown[][] = [];
  proxy.app.log.error = (...entry: unknown[]) => void logged.push(entry);
  const debits = vi.spyOn(proxy.ledger, 'debit');
  const { id, key } = await proxy.customer({ tokens: 1_000 });
  const body = JSON.stringify({ origins: [county.blocks[3].geoid] });
  const { postSemaphore } = proxy.app.services;
  const server = proxy.app.server;
  const connections = promisify(server.getConnections.bind(server));
  const port = await proxy.listen();
  const held = new EventEmitter();
  const others = [1, 2].map(() => postSemaphore.run(id, () => once(held, 'end')));
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /v1/blocks/pois HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => postSemaphore.waiting).toBe(1);
  socket.destroy();
  await once(socket, 'close');
  await expect.poll(connections).toBe(0);
  expect(debits).not.toHaveBeenCalled();
  held.emit('end');
  await Promise.all(others);
  // The turn of the abandoned POST comes before that of a later request, which is served.
  const later = await proxy.post('/v1/blocks/pois', key, JSON.parse(body));
  expect(later.statusCode).toBe(200);
  expect(debits).toHaveBeenCalledTimes(1);
  expect(await proxy.ledger.usage(id)).toMatchObject([{ requests: 1 }]);
  expect(logged).toEqual([]);
});
