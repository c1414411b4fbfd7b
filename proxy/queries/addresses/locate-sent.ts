import type { Release } from '../../../shards/release/release.ts';
import { LIMITS } from '../../bounds.ts';
import { Problem, truncate } from '../../http/problem.ts';
import {
  faultOfPoint,
  isPoint,
  locateOrigin,
  type OriginBlock,
  originOfGeoid,
  originOfPoint,
  type SentPoint,
} from '../origins/origin-block.ts';
import type { AddressMatch, MatchKind } from './address-match.ts';
import { findAddresses, NO_ADDRESSES, TAKEN_FROM, TOO_WIDE } from './find-addresses.ts';

/** A point or an address as sent, which need not be one. */
export interface SentPlace extends SentPoint {
  readonly address?: string | undefined;
}

export interface LocatedPlace {
  readonly block: OriginBlock;
  /** Absent for a point. */
  readonly match?: AddressMatch;
}

/** Kinds of matches that are areas, of which a point is no place in it. */
const AREAS: ReadonlySet<MatchKind> = new Set(['neighbourhood', 'place', 'county']);
const MOST_LISTED = 3;

/**
 * Finds the block of a point or an address as sent. Throws `point-not-covered` for what is no point
 * in a block, and `address-not-found` for an address without a match that may be taken.
 */
export async function locateSent(release: Release, sent: SentPlace): Promise<LocatedPlace> {
  if (sent.address !== undefined) {
    const match = await takeAddress(release, sent.address);
    return { block: await locateOrigin(release, originOfGeoid(release, match.geoid)), match };
  }
  if (isPoint(sent)) {
    return { block: await locateOrigin(release, originOfPoint(release, sent.lon, sent.lat)) };
  }
  throw new Problem('point-not-covered', faultOfPoint(sent)!);
}

async function takeAddress(release: Release, address: string): Promise<AddressMatch> {
  if (address.trim() === '' || address.length > LIMITS.nameLength) {
    const fault = `an address must be text of 1 to ${LIMITS.nameLength} characters`;
    throw new Problem('address-not-found', fault);
  }
  const reason = (why: string) => new Problem('address-not-found', `"${truncate(address)}" ${why}`);
  const found = await findAddresses(release, address, null, MOST_LISTED);
  if (found === null) throw reason(TOO_WIDE);
  const isSure = found.length > 0 && found[0].confidence >= TAKEN_FROM;
  if (!isSure && !(await release.addressDirectory())) throw reason(`is not found: ${NO_ADDRESSES}`);
  if (found.length === 0) throw reason('is like no address of this release');
  const [{ distance_m: _, ...best }] = found;
  if (!isSure) {
    const listed = found.map(({ label, confidence }) => `${label} (${confidence})`).join('; ');
    throw reason(
      `is not certain: no match has a confidence of ${TAKEN_FROM}; send one of these with its ZIP code, or its coordinates: ${listed}`,
    );
  }
  if (AREAS.has(best.kind)) throw reason(`is a ${best.kind}, no address: send a point in it`);
  return { address, ...best };
}
