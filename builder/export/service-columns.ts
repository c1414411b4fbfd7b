import { BASE_MODES } from '../../shards/modes.ts';
import { type Column, type IndexedGroup, NULL_INDEX } from '../../shards/parquet/table.ts';
import type { Release } from '../../shards/release/release.ts';
import { modeOfService } from '../../shards/services.ts';

/** The modes of some services in a sentence; `transit` also where there is none. */
export function modesInWords(services: readonly string[]): string {
  const modes = [...new Set([...BASE_MODES, ...services.map(modeOfService)])];
  return `${modes.slice(0, -1).join(', ')} or ${modes[modes.length - 1]}.`;
}

/** The columns that tell services apart: the mode, and where transit has several, which one. */
export function serviceColumns({ manifest }: Release): Column[] {
  const mode: Column = { name: 'mode', type: 'string', description: modesInWords(manifest.modes) };
  if (!manifest.windows) return [mode];
  return [
    mode,
    {
      name: 'departure',
      type: 'string',
      nullable: true,
      description: 'Window of departures by transit; null for other modes.',
    },
    {
      name: 'percentile',
      type: 'uint8',
      nullable: true,
      description: 'Percentile of the times by transit in the window; null for other modes.',
    },
  ];
}

/** The values of `serviceColumns` for the service at each position of the release. */
export function serviceValues({ manifest, services }: Release): (string | number | null)[][] {
  return services.map(({ mode, departure, percentile }) =>
    manifest.windows ? [mode, departure, percentile] : [mode],
  );
}

/**
 * Returns a function that replaces the column of a group that indexes services, the one at `at`, by
 * `serviceColumns`.
 */
export function withServices(release: Release, at: number): (group: IndexedGroup) => IndexedGroup {
  const { manifest, services } = release;
  const modes = services.map(({ mode }) => mode);
  const departures = services.map(({ departure }) => departure ?? '');
  const percentiles = services.map(({ percentile }) => percentile ?? 0);
  const isTimed = services.map(({ departure }) => departure !== null);
  return ({ rows, indexed }) => {
    const { indexes } = indexed[at];
    const added = [{ dictionary: modes, indexes }];
    if (!manifest.windows) return { rows, indexed: indexed.toSpliced(at, 1, ...added) };
    const timed = indexes.map((service) => (isTimed[service] ? service : NULL_INDEX));
    const timing = [departures, percentiles].map((dictionary) => ({ dictionary, indexes: timed }));
    return { rows, indexed: indexed.toSpliced(at, 1, ...added, ...timing) };
  };
}
