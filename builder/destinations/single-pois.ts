import { checkDestIds } from './check-dest-ids.ts';
import type { Destination } from './destination.ts';
import type { PoiAccount } from './from-files.ts';
import { mergeSources, withoutDuplicates } from './merge-sources.ts';
import type { RatedPoi } from './overture-poi.ts';

/**
 * Each id once. Extracts of Overture overlap; of two records of one place that differ, either stays,
 * but always the same one. Two places of one's own lists that have one id are a `BuildError` that
 * names both.
 */
export function ofSingleIds(accounts: readonly PoiAccount[]): PoiAccount[] {
  const { listed, rated } = byKind(accounts);
  const overture = new Map<string, RatedPoi>();
  for (const account of rated) {
    const { source } = account.destination;
    const other = overture.get(source);
    if (!other || textOf(account) < textOf(other)) overture.set(source, account);
  }
  checkDestIds([
    ...listed.map(({ destination: { destId }, record }) => ({ destId, source: record })),
    ...[...overture.values()].map(destinationOf),
  ]);
  return [...listed, ...overture.values()];
}

function textOf({ confidence, destination }: RatedPoi): string {
  return JSON.stringify([confidence, destination]);
}

/**
 * Each real place once, ascending by `destId`: of those that Overture has twice, the one it is surer
 * of; of what a list of one's own has too, that. The order of the accounts does not matter. What
 * becomes of one depends on those around it, within some hundred metres.
 */
export function singlePois(accounts: readonly PoiAccount[]): Destination[] {
  const { listed, rated } = byKind(accounts);
  const trusted = rated.sort(
    (a, b) => b.confidence - a.confidence || a.destination.destId - b.destination.destId,
  );
  return mergeSources(listed.map(destinationOf), withoutDuplicates(trusted.map(destinationOf)));
}

function byKind(accounts: readonly PoiAccount[]) {
  return {
    listed: accounts.filter((account) => 'record' in account),
    rated: accounts.filter((account) => 'confidence' in account),
  };
}

function destinationOf({ destination }: PoiAccount): Destination {
  return destination;
}
