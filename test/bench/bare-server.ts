import Fastify from 'fastify';

/** The least that Fastify can do with the same bytes: one route, no hook, a buffer. */
const body = Buffer.from(process.env.BARE_BODY!);
const app = Fastify();
app.get(process.env.BARE_PATH!, (_request, reply) => {
  reply.header('content-type', 'application/json; charset=utf-8').send(body);
});
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
