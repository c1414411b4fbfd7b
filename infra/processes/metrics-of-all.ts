import { AggregatorRegistry, Registry } from 'prom-client';
import { addProcesses } from '../observe/process-metrics.ts';
import type { Child } from './child.ts';
import type { Metrics } from './messages.ts';

/**
 * The metrics of processes that come and go, as one. What one had counted stays when it has died: a
 * sum that fell would pass for counters that began anew, and all that is left for new events.
 */
export class MetricsOfAll {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #serving: () => readonly Child[];
  /** What none of them can tell. */
  readonly #own = new Registry();
  #ofTheDead: Promise<Metrics> = Promise.resolve([]);

  constructor(serving: () => readonly Child[], wanted: number) {
    this.#serving = serving;
    addProcesses(this.#own, () => ({ serving: serving().length, wanted }));
  }

  /** Of a process that has died: what it has counted stays, what it was like goes. */
  bury({ counted }: Pick<Child, 'counted'>): void {
    const kept = counted.filter(({ type }) => COUNTS.has(`${type}`));
    this.#ofTheDead = this.#ofTheDead.then((others) => sumOf([others, kept]).getMetricsAsJSON());
  }

  async metrics(): Promise<string> {
    const told = this.#serving().map((child) => child.metrics());
    return sumOf(
      await Promise.all([this.#own.getMetricsAsJSON(), this.#ofTheDead, ...told]),
    ).metrics();
  }
}

const COUNTS: ReadonlySet<string> = new Set(['counter', 'histogram']);

function sumOf(all: readonly Metrics[]): Registry {
  return AggregatorRegistry.aggregate(all.map((metrics) => [...metrics]));
}
