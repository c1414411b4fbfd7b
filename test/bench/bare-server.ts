import Fastify from 'fastify';

/** Serves the same bytes with the least that Fastify can do: one route, no hook, a buffer. */
const body = Buffer.from(process.env.BARE_BODY!);
const app = Fastify();
app.get(process.env.BARE_PATH!, (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${address}\n`);
