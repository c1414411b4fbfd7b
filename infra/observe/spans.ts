import {
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { FastifyRequest } from 'fastify';
import type { Tracing } from './tracing.ts';

const SCOPE = 'travel-time-access';

/**
 * Starts tracing as configured by the `OTEL_*` variables, which the SDK reads itself. `tracing.ts`
 * loads this module, and the SDK with it, only if the variables enable tracing.
 */
export function startTracing(service: {
  readonly name: string;
  readonly version: string;
}): Tracing {
  const resource = resourceFromAttributes({
    'service.name': service.name,
    'service.version': service.version,
  }).merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  const tracer = trace.getTracer(SCOPE, service.version);
  return {
    aroundRequest(request, reply, done) {
      const from = propagation.extract(context.active(), request.headers);
      const { name, attributes } = described(request);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, from);
      const { raw } = reply;
      raw.once('close', () => {
        if (raw.writableFinished) {
          span.setAttribute('http.response.status_code', raw.statusCode);
          if (raw.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        } else {
          span.setStatus({ code: SpanStatusCode.ERROR, message: 'client disconnected' });
        }
        span.end();
      });
      context.with(trace.setSpan(from, span), done);
    },
    trace: (name, attributes, call) =>
      tracer.startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span: Span) => {
        try {
          return await call();
        } catch (error) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
          throw error;
        } finally {
          span.end();
        }
      }),
    close: () => provider.shutdown(),
  };
}

/**
 * Describes a request. Includes only the route of the URL, since a path or query may contain
 * private data.
 */
function described({ method, id, routeOptions, is404 }: FastifyRequest) {
  const route = is404 ? undefined : routeOptions.url?.replaceAll(/:(\w+)/g, '{$1}');
  return {
    name: route === undefined ? method : `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'tta.request_id': id,
    },
  };
}
