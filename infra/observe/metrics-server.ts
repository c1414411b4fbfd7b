import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { messageOf } from '../../shards/error-facts.ts';
import { UsageError } from '../errors.ts';
import { localUrl } from '../listen.ts';

export interface MetricsServer {
  /** The address of the metrics, such as `http://127.0.0.1:9090/metrics`. */
  readonly address: string;
  /** Resolves when the next request for the metrics has its response. */
  nextScrape(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves metrics on a separate, non-public port. Throws a `UsageError` if the port is unavailable.
 */
export async function serveMetrics(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  at: { readonly port: number; readonly host: string },
): Promise<MetricsServer> {
  const scrapes = new EventEmitter();
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end();
    response.once('finish', () => scrapes.emit('scrape'));
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at.port, at.host, resolve);
  }).catch((error) => {
    const advice = 'choose another with --metrics-port or METRICS_PORT';
    throw new UsageError(`metrics: ${messageOf(error)}; ${advice}`);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `${localUrl({ host: at.host, port })}/metrics`,
    async nextScrape() {
      await once(scrapes, 'scrape');
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
