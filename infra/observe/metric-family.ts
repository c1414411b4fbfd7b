import type { Metric, Registry } from 'prom-client';
import {
  DURATION_BUCKETS_MS,
  type DurationHistogram,
} from '../../shards/concurrency/duration-histogram.ts';

export interface Sample {
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Where it is not that of the family: `…_bucket`. */
  readonly metricName?: string;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: () => Iterable<Sample> | Promise<Iterable<Sample>>;
}

/**
 * Has a registry tell a family of metrics. Its values are read from what counts them when they are
 * asked for, so that a request pays for an addition and nothing else.
 */
export function addFamily(registry: Registry, family: Family): void {
  const { name, help, type, samples } = family;
  // Put beside those of other processes, which have a label of their own: there is nothing to add up.
  const about = { name, help, type, aggregator: 'first' };
  // Labels of all may be added to these.
  const values = async () => Array.from(await samples(), (sample) => ({ labels: {}, ...sample }));
  const get = async () => ({ ...about, values: await values() });
  registry.registerMetric({ ...about, get } as unknown as Metric);
}

/** The same of families that are one figure each: its name, what it is, and what it is now. */
export function addFigures(
  registry: Registry,
  type: 'counter' | 'gauge',
  figures: readonly (readonly [name: string, help: string, value: () => number])[],
): void {
  for (const [name, help, value] of figures) {
    addFamily(registry, { name, help, type, samples: () => [{ value: value() }] });
  }
}

/** The samples of histograms, in seconds, each under a label. */
export function* histogramSamples(
  name: string,
  label: string,
  all: Iterable<readonly [value: string, durations: DurationHistogram]>,
): Iterable<Sample> {
  for (const [value, { counts, sumMs }] of all) {
    const labels = { [label]: value };
    let count = 0;
    for (let bucket = 0; bucket < counts.length; bucket++) {
      count += counts[bucket];
      const le = bucket < DURATION_BUCKETS_MS.length ? DURATION_BUCKETS_MS[bucket] / 1000 : '+Inf';
      yield { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
    }
    yield { metricName: `${name}_sum`, labels, value: sumMs / 1000 };
    yield { metricName: `${name}_count`, labels, value: count };
  }
}
