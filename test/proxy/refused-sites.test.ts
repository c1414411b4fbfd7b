import { expect, test } from 'vitest';
import { LIMITS } from '../../proxy/bounds.ts';
import type { Area } from '../../proxy/queries/areas/area.ts';
import { locateQuery, type SitesQuery } from '../../proxy/queries/sites/sites.ts';
import { wholeCountry, wideRelease } from '../support/wide-release.ts';

const COUNTIES = wholeCountry().slice(0, 80);
/** The code of no county. */
const UNKNOWN = '99999';

const NONE = { kind: 'points', points: [] } as const;
const sitesIn = (counties: typeof COUNTIES) => {
  const points = counties.map(({ fips, centres: [[lon, lat]] }) => ({ id: fips, lon, lat }));
  return { kind: 'points', points } as const;
};

/** The problem of a query of sites, and the numbers of indexes and outlines that it read. */
async function refusal(query: Pick<SitesQuery, 'area' | 'sites' | 'candidates'>) {
  const { release, read, outlined } = wideRelease(COUNTIES, { areOutlined: true });
  const fixed = { choose: 0, uncovered: 0, mode: 0, weights: ['people'], minutes: [15] };
  const refused = locateQuery(release, { ...fixed, direction: 'to', ...query });
  const problem = await refused.then(
    () => null,
    (error) => error,
  );
  return { problem, indexes: read.length, outlines: outlined.length };
}

test('an area of which the release lacks a part is refused before sites are located', async () => {
  const { fips } = COUNTIES[0];
  const blocks = [`${fips}0000000000`, `${UNKNOWN}0000000000`].map(Number);
  const areas: [Area, string, number][] = [
    [{ kind: 'counties', fips: [fips, UNKNOWN] }, 'county-not-found', 0],
    [{ kind: 'blocks', geoids: Float64Array.from(blocks) }, 'block-not-found', 1],
  ];
  for (const [area, slug, indexes] of areas) {
    const refused = await refusal({ area, sites: sitesIn(COUNTIES), candidates: NONE });
    expect(refused).toMatchObject({ problem: { slug }, indexes, outlines: 0 });
  }
});

test('sites of too many counties, without an area, are refused once that many are located', async () => {
  const sites = sitesIn(COUNTIES);
  for (const lists of [
    { sites, candidates: NONE },
    { sites: NONE, candidates: sites },
  ]) {
    const { problem, outlines } = await refusal({ area: null, ...lists });
    expect(problem.slug).toBe('invalid-parameters');
    expect(JSON.stringify(problem)).toContain(`more than ${LIMITS.areaCounties} counties`);
    // Sites are located several at a time.
    expect(outlines).toBeLessThan(2 * LIMITS.areaCounties);
  }
});
