import type { BlockIndex, UnlinkedReason } from '../../../shards/blocks/block-index.ts';
import type { Geoid } from '../../../shards/geoid.ts';
import { byMode, linkModeOf, type Mode } from '../../../shards/modes.ts';
import type { CountyBlock, ReleaseMode } from '../../../shards/units.ts';
import type { OriginBlock } from './origin-block.ts';

interface Unrouted {
  readonly mode: Mode;
  readonly reason: UnlinkedReason;
}

export const REASONS: Readonly<Record<UnlinkedReason, string>> = {
  'no-street-near': 'no street is near its centre',
  'outside-street-data': 'its centre is outside the street data of the release',
  'not-on-mode-network': 'no street near its centre is part of the network of that mode',
};

/** Why a mode could not be routed from a block; null if it could. Transit starts with a walk. */
export function unroutedReason(
  index: BlockIndex,
  ordinal: CountyBlock,
  mode: Mode,
): UnlinkedReason | null {
  const { status } = index.link(ordinal, linkModeOf(mode));
  return status === 'linked' ? null : status;
}

/**
 * Modes that could not be routed from a block, with reasons; null if all could. This distinguishes
 * "not within 30 minutes" from "not known".
 */
export function unroutedModes(
  { release, index, ordinal }: OriginBlock,
  modes: readonly ReleaseMode[],
): Unrouted[] | null {
  if (index.isFullyRoutable(ordinal)) return null;
  const unrouted = modes.flatMap((position): Unrouted[] => {
    const mode = release.services[position].mode;
    const reason = unroutedReason(index, ordinal, mode);
    return reason === null ? [] : [{ mode, reason }];
  });
  return unrouted.length === 0 ? null : unrouted;
}

export function unroutedReasons(geoid: Geoid, unrouted: readonly Unrouted[]): string {
  const reasons = [...new Set(unrouted.map(({ reason }) => reason))];
  const parts = reasons.map((reason) => {
    const modes = unrouted.filter((one) => one.reason === reason).map(({ mode }) => mode);
    return `${reasons.length > 1 ? `${modes.map(byMode).join(' and ')}, ` : ''}${REASONS[reason]}`;
  });
  return `no requested mode can be routed from block ${geoid}: ${parts.join('; ')}`;
}

/** Returns the response member `unrouted`; false if all modes could be routed. */
export function unroutedMetadata(unrouted: readonly Unrouted[] | null) {
  return unrouted !== null && { unrouted };
}
