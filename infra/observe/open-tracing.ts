import type { Environment } from '../settings/read-settings.ts';
import type { Tracing } from './tracing.ts';

/** Whether OpenTelemetry's own variables ask for traces. */
export function wantsTraces(env: Environment): boolean {
  const { OTEL_SDK_DISABLED: off, OTEL_TRACES_EXPORTER: exporter = 'otlp' } = env;
  if (off?.toLowerCase() === 'true' || exporter !== 'otlp') return false;
  return Boolean(env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT);
}

/** Tracing, if the environment asks for it; else nothing of it is loaded. */
export async function openTracing(
  service: { readonly name: string; readonly version: string },
  env: Environment = process.env,
): Promise<Tracing | null> {
  if (!wantsTraces(env)) return null;
  const { startTracing } = await import('./tracing.ts');
  return startTracing(service);
}
