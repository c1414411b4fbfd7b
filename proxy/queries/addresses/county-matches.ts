import { foldText } from '../../../shards/folded-text.ts';
import { countyName } from '../../../shards/release/county-name.ts';
import type { Release, ReleaseCounty } from '../../../shards/release/release.ts';
import { uspsOf } from '../../../shards/states.ts';
import type { Match } from './street-matches.ts';

/** Quality of a name of which the text is only the beginning. */
export const BEGUN = 0.6;
/** Letters from which a text is taken for the beginning of a county's name. */
const TELLING = 3;

/** A county, in the middle of its blocks. */
export function countyMatch({ fips, manifest, blockBox }: ReleaseCounty, quality: number): Match {
  const { minLon, minLat, maxLon, maxLat } = blockBox;
  const at = { lat: (minLat + maxLat) / 2, lon: (minLon + maxLon) / 2 };
  const label = countyName(fips, manifest.name) ?? `County ${fips}`;
  return { label, kind: 'county', ...at, geoid: fips, quality };
}

/** The counties whose name the text is, or begins, with or without the state. */
export async function countyMatches(release: Release, text: string): Promise<Match[]> {
  const named = await release.retained('county names', async () =>
    release.counties.flatMap((county) => {
      const { name } = county.manifest;
      return name === undefined ? [] : [{ county, own: foldText(name) }];
    }),
  );
  const asked = foldText(text).replaceAll(/[\s,]+/g, ' ');
  return named.flatMap(({ county, own }) => {
    if (asked === own || asked === `${own} ${uspsOf(county.fips).toLowerCase()}`) {
      return [countyMatch(county, 1)];
    }
    return asked.length >= TELLING && own.startsWith(asked) ? [countyMatch(county, BEGUN)] : [];
  });
}
