import type { Metric, Registry } from 'prom-client';
import {
  DURATION_BUCKETS_MS,
  type DurationHistogram,
} from '../../shards/concurrency/duration-histogram.ts';

interface Sample {
  readonly labels?: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Name of the metric, set if it differs from the family's: `…_bucket`. */
  readonly metricName?: string;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: () => Iterable<Sample> | Promise<Iterable<Sample>>;
}

/**
 * Registers a family of metrics. Values are read only when metrics are requested, so a request
 * costs no more than an addition.
 */
export function addFamily(registry: Registry, family: Family): void {
  const { name, help, type, samples } = family;
  const about = { name, help, type };
  const get = async () => ({ ...about, values: [...(await samples())] });
  registry.registerMetric({ ...about, get } as unknown as Metric);
}

/** Registers families that have a single value each, by name, help and value. */
export function addFigures(
  registry: Registry,
  type: 'counter' | 'gauge',
  figures: readonly (readonly [name: string, help: string, value: () => number])[],
): void {
  for (const [name, help, value] of figures) {
    addFamily(registry, { name, help, type, samples: () => [{ value: value() }] });
  }
}

/** Yields the samples of histograms, in seconds, each under its own value of a label. */
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
