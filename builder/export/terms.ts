import type { Release } from '../../shards/release/release.ts';

const CENSUS = 'U.S. Census Bureau';
const OPENSTREETMAP = '© OpenStreetMap contributors';

/** Tables that contain nothing of OpenStreetMap. */
const PUBLIC_DOMAIN: readonly string[] = ['places', 'types', 'weights'];

/** The licence of a table. */
export function licenceOf(table: string): string {
  return PUBLIC_DOMAIN.includes(table) ? 'public domain' : 'ODbL-1.0';
}

/** The credits that a publication of any table has to show. */
export function attributionOf({ manifest, weights }: Release): string {
  const agencies = manifest.feeds.map(({ agency }) => agency);
  const sources = weights.slice(1).map(({ source }) => source);
  return [...new Set([OPENSTREETMAP, CENSUS, ...agencies, ...sources])].join('; ');
}

/** How to cite the release. */
export function citationOf({ manifest, version }: Release): string {
  const modes = manifest.modes.join(', ');
  return `Travel-Time Access Service, release ${manifest.release} (${version}): travel times from US census blocks by ${modes}.`;
}
