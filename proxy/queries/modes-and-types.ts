import { invalidParameters, type Problem } from '../../portal/http/problem.ts';
import type { Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release/release.ts';
import type { DestTypeId } from '../../shards/units.ts';

/**
 * Requested leaf types, with parents expanded; undefined for all. Throws for an id that the
 * taxonomy lacks.
 */
export function requestedLeaves(
  release: Release,
  types: readonly DestTypeId[] | undefined,
  part: 'query' | 'body' = 'query',
): DestTypeId[] | undefined {
  if (!types) return undefined;
  const unknown = types.filter((type) => !release.taxonomy.has(type));
  if (unknown.length === 0) return release.taxonomy.expand(types);
  throw invalidParameters(
    unknown.map((type) => ({
      loc: [part, 'type'],
      msg: `this release has no destination type ${type}; see /v1/meta/destination-types`,
      type: 'unknown_destination_type',
    })),
  );
}

/** Requested modes, as positions in the release's list. Throws for one that it lacks. */
export function modePositions(
  release: Release,
  modes: readonly Mode[] | undefined,
  part: 'query' | 'body' = 'query',
): number[] {
  const lacking = modes?.filter((mode) => !release.manifest.modes.includes(mode)) ?? [];
  if (lacking.length > 0) throw lacksModes(release, lacking, part);
  return release.manifest.modes.flatMap((mode, position) =>
    modes === undefined || modes.includes(mode) ? [position] : [],
  );
}

/** Error message for modes that the release was built without. */
export function lacksModes(
  { manifest }: Release,
  lacking: readonly Mode[],
  part: 'query' | 'body' = 'query',
): Problem {
  return invalidParameters(
    lacking.map((mode) => ({
      loc: [part, 'mode'],
      msg: `this release has no mode ${mode}; it has ${manifest.modes.join(', ')}`,
      type: 'mode_not_in_release',
    })),
  );
}

/** Labels of mode positions, as spelled in a canonical request. */
export function modeLabels(release: Release, positions: readonly number[]): Mode[] {
  return positions.map((position) => release.manifest.modes[position]);
}
