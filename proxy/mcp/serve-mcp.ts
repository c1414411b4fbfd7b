import type { FastifyInstance } from 'fastify';
import { onDemand } from '../../shards/concurrency/on-demand.ts';
import type { Bytes } from '../../shards/units.ts';
import type { ProxyServices } from '../services.ts';
import type { MessageHandler } from './message-handler.ts';

export const MCP_PATH = '/mcp';

/**
 * Maximum size of a message, far above that of any call: the SDK searches messages, and quotes them
 * in errors, without yielding.
 */
const MAX_BYTES: Bytes = 64 << 10;

/**
 * Serves the Model Context Protocol at `POST /mcp`. The SDK takes a tenth of a second to load, so
 * it is loaded once the server listens, or with the first message, whichever is first.
 */
export function serveMcp(app: FastifyInstance, services: ProxyServices): void {
  let opened: MessageHandler | undefined;
  const handler = onDemand(async () => {
    const { openMessageHandler } = await import('./message-handler.ts');
    opened = openMessageHandler(services);
    return opened;
  });
  app.addHook('onListen', async () => void (await handler()));
  app.addHook('onClose', async () => opened?.close());
  const options = { bodyLimit: MAX_BYTES, config: { keyed: true } };
  app.post(MCP_PATH, options, async (request, reply) => (await handler()).handle(request, reply));
}
