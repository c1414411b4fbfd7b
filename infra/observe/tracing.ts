import type { onRequestHookHandler } from 'fastify';
import type { Environment } from '../settings/read-settings.ts';

/** Whether OpenTelemetry's own variables enable traces. */
export function wantsTraces(env: Environment): boolean {
  const { OTEL_SDK_DISABLED: off, OTEL_TRACES_EXPORTER: exporter = 'otlp' } = env;
  if (off?.toLowerCase() === 'true' || exporter !== 'otlp') return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT);
}

/** Opens tracing if the environment enables it; otherwise loads nothing. */
export async function openTracing(
  service: { readonly name: string; readonly version: string },
  env: Environment = process.env,
): Promise<Tracing | null> {
  if (!wantsTraces(env)) return null;
  const { startTracing } = await import('./spans.ts');
  return startTracing(service);
}

/** Attributes of a span, with OpenTelemetry's names where they exist. */
type SpanAttributes = Readonly<Record<string, string | number>>;

/** Makes a call within a span that ends with it. */
export type Trace = <T>(
  name: string,
  attributes: SpanAttributes,
  call: () => Promise<T>,
) => Promise<T>;

/**
 * Traces requests: one span for each, with a child span for each call to the store and the ledger.
 */
export interface Tracing {
  readonly aroundRequest: onRequestHookHandler;
  readonly trace: Trace;
  /** Flushes pending spans. */
  close(): Promise<void>;
}
