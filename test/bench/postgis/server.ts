import Fastify from 'fastify';
import postgres from 'postgres';
import { z } from 'zod';
import { Body } from '../../../proxy/http/body.ts';
import { CursorSealer } from '../../../proxy/http/cursor.ts';
import { newShutdown } from '../../../proxy/http/graceful-shutdown.ts';
import { policyHeader, rateHeader } from '../../../proxy/http/rate-limiting.ts';
import { ResponseWriter } from '../../../proxy/http/response-writer.ts';
import { requestId } from '../../../proxy/http/server.ts';
import { hashApiKey, isWellFormedApiKey } from '../../../proxy/ledger/api-key.ts';
import { RateWindow } from '../../../proxy/ledger/rate-window.ts';
import { strongEtag } from '../../../proxy/metering/etag.ts';
import { canonicalRequest } from '../../../proxy/queries/rows/pagination.ts';
import { commonHeaders, writeHead } from '../../../proxy/serve/serve-keyed.ts';
import { MODES, modeIdOf } from '../../../shards/modes.ts';
import { TWIN_ROUTES, type TwinRoute, type Value } from './routes.ts';

/**
 * Serves the twin: the same routes, bytes and headers over PostgreSQL. A request is one round trip
 * of a prepared statement that reads, checks the key and debits. The address is printed.
 */
const settings = z
  .object({
    PGHOST: z.string(),
    PGUSER: z.string(),
    POOL: z.coerce.number(),
    CURSOR_SECRET: z.string(),
    RELEASE_SHA256: z.string(),
  })
  .parse(process.env);

const INT8 = 20;
const sql = postgres({
  host: settings.PGHOST,
  user: settings.PGUSER,
  database: 'postgres',
  max: settings.POOL,
  prepare: true,
  // GEOIDs, ids and balances: all below 2⁵³.
  types: { bigint: { to: INT8, from: [INT8], parse: Number, serialize: String } },
});
const responseWriter = new ResponseWriter({ maxWaiting: 2 ** 27 });
const cursors = new CursorSealer(() => [settings.CURSOR_SECRET]);
const rates = new RateWindow(1_000_000_000);
const release = [{ name: 'release', bytes: 0, sha256: settings.RELEASE_SHA256 }];

const querySchema = z.strictObject({
  bbox: z
    .string()
    .regex(/^-?[\d.]+(,-?[\d.]+){3}$/)
    .optional(),
  mode: z.enum(MODES.map(({ mode }) => mode)).optional(),
  type: z.coerce.number().int().default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().optional(),
});

const STATUS_OF: Readonly<Record<string, number>> = {
  'invalid-key': 401,
  'account-disabled': 403,
  'tokens-exhausted': 429,
};

const app = Fastify({ genReqId: requestId });
app.decorateReply('rate', null);
// The response writer, which is that of our server, reads this state.
app.decorate('shutdown', newShutdown());
for (const route of TWIN_ROUTES) serveRoute(route);
process.stdout.write(`${await app.listen({ port: 0, host: '127.0.0.1' })}\n`);
process.once('SIGTERM', async () => {
  await app.close();
  await sql.end();
});

function serveRoute(route: TwinRoute): void {
  app.get<{ Params: { geoid?: string } }>(route.path, async (request, reply) => {
    const key = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (!key || !isWellFormedApiKey(key)) return reply.code(401).send();
    const keyHash = hashApiKey(key);
    const { rate } = rates.take(keyHash, Date.now());
    const parsed = querySchema.safeParse(request.query);
    if (!parsed.success) return reply.code(400).send();

    const { bbox, mode, type, limit, cursor } = parsed.data;
    const geoid = request.params.geoid ?? '';
    const bound = canonicalRequest(route.path, { geoid, bbox, mode, type, limit });
    const after = cursor ? cursors.open(bound, cursor, route.start.length) : route.start;
    const modeId = mode === undefined ? 0 : modeIdOf(mode);
    const box = bbox?.split(',').map(Number) ?? [];
    const asked = { geoid, bbox: box, modeId, type, limit, after };
    const paging = route.start.length > 0 ? [limit] : [];
    const parameters = [keyHash, ...paging, ...route.parameters(asked)];
    const [read] = await sql.unsafe(route.sql, parameters, { prepare: true }).values();
    if (!read) return reply.code(404).send();
    const [outcome, balance, json, ...rest] = read;
    if (outcome !== 'debited') return reply.code(STATUS_OF[outcome]).send();

    const rows = JSON.parse(json) as Value[][];
    const more = paging.length > 0 && rows.length > limit;
    if (more) rows.pop();
    const next = more ? cursors.seal(bound, route.position(rows[limit - 1])) : null;
    const response = route.body(asked, rows, next, ...rest);
    const body = Body.of(Buffer.from(JSON.stringify(response)));
    const charged = Math.max(route.minimum ?? 1, response.results.length);
    writeHead(reply, 200, [
      ...commonHeaders(request),
      'etag',
      strongEtag(canonicalRequest(bound, { after }), release),
      'cache-control',
      'public, no-cache',
      'vary',
      'Authorization, Accept-Encoding, Accept',
      'ratelimit-policy',
      policyHeader(rate),
      'ratelimit',
      rateHeader(rate),
      'content-type',
      'application/json; charset=utf-8',
      'content-length',
      body.length,
      'x-tokens-charged',
      charged,
      'x-tokens-remaining',
      balance,
    ]);
    return responseWriter.send(reply.raw, body);
  });
}
