import { closestText } from '../../shards/folded-text.ts';
import { isTransit, type Mode } from '../../shards/modes.ts';
import type { Release } from '../../shards/release/release.ts';
import type { Timing } from '../../shards/services.ts';
import type { Taxonomy } from '../../shards/taxonomy.ts';
import type { DestTypeId, ReleaseMode } from '../../shards/units.ts';
import { invalidParameters, type ParameterIssue, truncate } from '../http/problem.ts';
import type { RequestParameters } from './rows/pagination.ts';

/**
 * The window and the percentile of a response, which it states if times by transit are among its
 * modes and the release has others.
 */
export function statedTiming(
  { manifest, timing }: Release,
  modes: readonly Mode[],
): Partial<Timing> {
  return manifest.windows && modes.some(isTransit) ? timing : {};
}

/** A destination type as sent: its id or its label. */
export type TypeName = DestTypeId | string;

/**
 * Returns the requested leaf types, with parents expanded; undefined for all. Throws for a type
 * that the taxonomy lacks.
 */
export function requestedLeaves(
  release: Release,
  types: readonly TypeName[] | undefined,
  loc: ParameterIssue['loc'] = ['query', 'type'],
): DestTypeId[] | undefined {
  if (!types) return undefined;
  const unknown = types.flatMap((type) => typeFault(release, type, loc));
  if (unknown.length > 0) throw invalidParameters(unknown);
  return release.taxonomy.expand(types.map((type) => release.taxonomy.idOf(type)!));
}

/** Returns the ids of types that the taxonomy has, ascending, as cursors are bound to them. */
export function spelledTypes(
  { taxonomy }: Release,
  types: readonly TypeName[] | undefined,
): DestTypeId[] | undefined {
  return types && [...new Set(types.map((type) => taxonomy.idOf(type)!))].sort((a, b) => a - b);
}

/** Returns the fault of a type that the taxonomy lacks; empty for a known type. */
export function typeFault(
  release: Release,
  type: TypeName,
  loc: ParameterIssue['loc'],
): ParameterIssue[] {
  if (release.taxonomy.idOf(type) !== undefined) return [];
  const asked = truncate(String(type));
  const likely = likelyLabel(release.taxonomy, type);
  const advice =
    likely === undefined ? 'see /v1/meta/destination-types' : `did you mean ${likely}?`;
  const msg = `release ${release.version} has no destination type ${asked}; ${advice}`;
  return [{ loc, msg, type: 'unknown_destination_type' }];
}

/** Returns the label that a text is two letters from at most: a plural, a slip of a finger. */
function likelyLabel({ types }: Taxonomy, text: TypeName): string | undefined {
  const labels = types.map(({ label }) => label);
  return closestText(labels, String(text).toLowerCase(), SLIPS)?.text;
}
const SLIPS = 2;

/**
 * Returns the positions of the services of requested modes, of those that the request chooses from;
 * throws for a mode that the release lacks.
 */
export function modePositions(
  release: Release,
  modes: readonly Mode[] | undefined,
  part: 'query' | 'body' = 'query',
): ReleaseMode[] {
  const lacking = modes?.flatMap((mode) => modeFault(release, mode, [part, 'mode'])) ?? [];
  if (lacking.length > 0) throw invalidParameters(lacking);
  return release.chosen.filter(
    (position) => modes === undefined || modes.includes(release.services[position].mode),
  );
}

export function modePosition(
  release: Release,
  mode: Mode,
  part: 'query' | 'body' = 'query',
): ReleaseMode {
  return modePositions(release, [mode], part)[0];
}

/** The mode of trips that are sent without one: transit, where a release has it. */
export function defaultMode(release: Release): Mode {
  return release.positionOf('transit') === -1 ? 'walk' : 'transit';
}

/** Returns the fault of a mode that the release was built without; empty for a mode that it has. */
export function modeFault(
  release: Release,
  mode: Mode,
  loc: ParameterIssue['loc'],
): ParameterIssue[] {
  const modes = modeLabels(release, release.chosen);
  if (modes.includes(mode)) return [];
  const msg = `release ${release.version} has no mode ${mode}; it has ${modes.join(', ')}`;
  return [{ loc, msg, type: 'mode_not_in_release' }];
}

export function modeLabels(release: Release, positions: readonly ReleaseMode[]): Mode[] {
  return positions.map((position) => release.services[position].mode);
}

/**
 * Returns the labels that rows have, for the canonical request: unlike times, labels are in no
 * object that the ETag depends on. Undefined, and thus omitted, if rows have no labels.
 */
export function spelledNames(
  taxonomy: Taxonomy,
  types: readonly DestTypeId[],
  names: boolean,
): string[] | undefined {
  return names ? types.map((type) => taxonomy.labelOf(type)) : undefined;
}

export interface CellFilter {
  /** Ascending. */
  readonly modes: readonly ReleaseMode[];
  /** Requested leaf types; undefined for all. */
  readonly types: ReadonlySet<DestTypeId> | undefined;
  /** Source of the labels of types; null if rows have none. */
  readonly labels: Taxonomy | null;
}

export interface CellParams {
  readonly mode?: readonly Mode[] | undefined;
  readonly type?: readonly TypeName[] | undefined;
  readonly names: boolean;
}

export function requestedCells(
  release: Release,
  query: CellParams,
  part: 'query' | 'body' = 'query',
): { filter: CellFilter } & RequestParameters {
  const { taxonomy } = release;
  const types = requestedLeaves(release, query.type, [part, 'type']);
  const modes = modePositions(release, query.mode, part);
  const type = types ?? taxonomy.leafIds;
  return {
    filter: {
      modes,
      types: types && new Set(types),
      labels: query.names ? taxonomy : null,
    },
    sent: { mode: query.mode, type: spelledTypes(release, query.type), names: query.names },
    // Releases differ in modes and types, so the selected ones are part of the canonical request.
    resolved: {
      mode: modeLabels(release, modes),
      type,
      names: spelledNames(taxonomy, type, query.names),
    },
  };
}
