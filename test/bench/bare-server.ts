import cluster from 'node:cluster';
import { once } from 'node:events';
import Fastify from 'fastify';

/**
 * Serves the same bytes with the least that Fastify can do: one route, no hook, a buffer. With
 * several processes, each accepts from one shared socket, as in `tta serve`.
 */
const processes = Number(process.env.BARE_PROCESSES ?? 1);
if (cluster.isPrimary && processes > 1) {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = Array.from({ length: processes }, () => cluster.fork());
  const listening = workers.map((worker) => once(worker, 'listening'));
  const [[{ port }]] = await Promise.all(listening);
  process.once('SIGTERM', () => {
    for (const worker of workers) worker.kill();
    process.exit(0);
  });
  say(`http://127.0.0.1:${port}`);
} else {
  const body = Buffer.from(process.env.BARE_BODY!);
  const app = Fastify();
  app.get(process.env.BARE_PATH!, (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(body);
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  if (cluster.isPrimary) say(address);
}

function say(address: string): void {
  process.stdout.write(`${address}\n`);
}
