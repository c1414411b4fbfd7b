import { AggregatorRegistry, Registry } from 'prom-client';
import type { ProcessCount } from '../../proxy/services.ts';
import { addProcesses } from '../observe/process-metrics.ts';
import type { Metrics } from './methods.ts';

/**
 * The combined metrics of several processes. Each series has a `process` label, so that a restarted
 * process is visible. A process that does not respond is left out.
 */
export class CombinedMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #own = new Registry();
  readonly #ofEach: () => readonly Promise<Metrics>[];

  constructor(count: () => ProcessCount, ofEach: () => readonly Promise<Metrics>[]) {
    addProcesses(this.#own, count);
    this.#ofEach = ofEach;
  }

  async metrics(): Promise<string> {
    const each = this.#ofEach().map((metrics) => metrics.catch(() => []));
    const all = await Promise.all([this.#own.getMetricsAsJSON(), ...each]);
    return AggregatorRegistry.aggregate(all).metrics();
  }
}
