import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { openTracing, wantsTraces } from '../../infra/observe/tracing.ts';
import { linkedBlocks, type RunningService, runService } from '../support/running-service.ts';
import { folderOfTests } from '../support/temporary-folder.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { key: string; value: Record<string, string | number> }[];
}

interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Span['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const folder = folderOfTests();
/** The data received by an OTLP receiver over HTTP, as text. */
const received: string[] = [];
let receiver: Server;
let service: RunningService;
beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      received.push(`${request.url}\n${Buffer.concat(chunks)}`);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test');
  service = await runService(inject('demoStore'), folder);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const attributeOf = (of: Pick<Span, 'attributes'>, name: string) => {
  const found = of.attributes.find(({ key }) => key === name);
  return found && Object.values(found.value)[0];
};

test('a request is a span of the caller’s trace and contains the ledger and store calls', async () => {
  const [block] = await linkedBlocks(service, 1);
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const headers = { traceparent, 'x-request-id': 'traced-1' };
  const secret = `?secret=ta_live_${'x'.repeat(38)}`;
  expect((await service.ask(`/v1/blocks/${block}/summary`, { headers })).status).toBe(200);
  expect((await service.ask(`/nothing/${service.key}${secret}`)).status).toBe(400);
  await service.close();

  expect(received.every((text) => text.startsWith('/v1/traces\n'))).toBe(true);
  const exported = received.map((text) => JSON.parse(text.slice(text.indexOf('\n'))) as Exported);
  const [{ resource }] = exported[0].resourceSpans;
  expect(attributeOf(resource, 'service.name')).toBe('tta-serve');
  expect(attributeOf(resource, 'deployment.environment.name')).toBe('test');
  const spans = exported.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  const own = spans.filter((span) => span.traceId === traceId);
  const request = own.find(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331')!;
  expect(request.name).toBe('GET /v1/blocks/{geoid}/summary');
  expect(Number(attributeOf(request, 'http.response.status_code'))).toBe(200);
  expect(attributeOf(request, 'tta.request_id')).toBe('traced-1');
  const inside = own.filter(({ parentSpanId }) => parentSpanId === request.spanId);
  expect(inside.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ledger admit', 'store range', 'ledger debit']),
  );
  expect(own).toHaveLength(1 + inside.length);
  // Spans contain no part of a URL but its route, and no key.
  expect(received.join()).not.toContain(service.key);
  expect(received.join()).not.toContain(block);
  expect(received.join()).not.toContain('secret');
});

test('without an endpoint, or when disabled, no tracing code is loaded', async () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  expect(wantsTraces(endpoint)).toBe(true);
  for (const env of [
    {},
    { ...endpoint, OTEL_SDK_DISABLED: 'true' },
    { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
  ]) {
    expect(await openTracing({ name: 'a', version: '1' }, env)).toBeNull();
  }
});
