import type { ExtractCoverage } from '../../builder/extract/extract-coverage.ts';
import { boxOf, edgesOf } from '../../shards/geometry/wgs84.ts';
import { coverageGaps } from '../../shards/release/data-coverage.ts';
import type { Manifest } from '../../shards/release/manifest.ts';
import { countyInWords } from '../../shards/states.ts';

/**
 * Returns warnings about counties with few routable blocks, followed by the coverage of the
 * extracts; none if there are no such counties.
 */
export function gapWarnings(
  { counties }: Pick<Manifest, 'counties'>,
  extracts: readonly ExtractCoverage[],
): string[] {
  const gaps = coverageGaps({ counties });
  if (gaps.length === 0) return [];
  return [
    ...gaps.map(({ county, blocks, routable_blocks }) => {
      const percent = Math.round((100 * routable_blocks) / Math.max(1, blocks));
      return `county ${countyInWords(county, counties[county].name)}: only ${percent} % of its blocks are near a street (${routable_blocks} of ${blocks}); the county extends over ${degrees(counties[county].block_box)}`;
    }),
    ...extracts.map((extract) => `the extract ${extract.name} ${describeCoverage(extract)}`),
  ];
}

/**
 * Describes the coverage of an extract by the polygon that it was cut by, if known, which is
 * narrower than the box in its header.
 */
function describeCoverage({ box, outline }: ExtractCoverage): string {
  const advice = 'use one that covers the counties';
  if (outline !== null) {
    const bounds = degrees(edgesOf(boxOf(outline.polygons.flat(2))));
    return `covers the polygon of its .poly file, within ${bounds}; ${advice}, or remove the .poly file if it is another extract’s`;
  }
  return box === null
    ? `does not state its coverage; ${advice}`
    : `covers ${degrees(edgesOf(box))}; ${advice}`;
}

/** Formats west, south, east and north edges with their hemispheres. */
function degrees([west, south, east, north]: readonly number[]): string {
  const side = (value: number, positive: string, negative: string) =>
    `${Math.abs(value).toFixed(2)}°${value < 0 ? negative : positive}`;
  return `${side(west, 'E', 'W')} to ${side(east, 'E', 'W')}, ${side(south, 'N', 'S')} to ${side(north, 'N', 'S')}`;
}
