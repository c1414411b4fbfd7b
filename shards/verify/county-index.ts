import { BlockIndex } from '../blocks/block-index.ts';
import { readOutlines } from '../fgb/outlines.ts';
import { countyOfBlock, geoidFromNumber } from '../geoid.ts';
import { boundsOf } from '../geometry/bounds.ts';
import { linkModesOf } from '../modes.ts';
import type { CountyManifest } from '../release/manifest.ts';
import { type CountyFips, toMicro } from '../units.ts';
import { type Finding, findFaults } from './finding.ts';
import { outOfOrder, sameIds } from './row-rules.ts';
import type { Verification } from './verification.ts';

export function verifyIndex(
  { release }: Verification,
  fips: CountyFips,
  county: CountyManifest,
): AsyncGenerator<Finding> {
  const ref = county.objects.index;
  return findFaults(ref.name, async (findings) => {
    const index = BlockIndex.decode(ref.name, await release.store.readRange(ref, 0, ref.bytes));
    const at = outOfOrder(index.geoids);
    if (at !== -1) findings.add('out of order', () => `block ${geoidFromNumber(index.geoids[at])}`);
    const linkModes = linkModesOf(release.manifest.modes);
    if (index.linkModes.join() !== linkModes.join()) {
      findings.add(
        'links',
        () => `${index.linkModes.join()}; the manifest has ${linkModes.join()}`,
      );
    }
    let [population, routable] = [0, 0];
    for (let block = 0; block < index.count; block++) {
      population += index.population(block) ?? 0;
      if (index.isRoutable(block)) routable++;
      if (countyOfBlock(index.geoids[block]) !== fips) {
        findings.add('of another county', () => `block ${geoidFromNumber(index.geoids[block])}`);
      }
    }
    const counted = { blocks: index.count, population, routable_blocks: routable };
    for (const [fact, value] of Object.entries(counted)) {
      findings.compare(fact, value, county[fact as keyof typeof counted]);
    }
  });
}

/** Verifies that the polygons are those of the county's blocks and fill the box in the manifest. */
export function verifyBlockPolygons(
  verification: Verification,
  county: CountyManifest,
): AsyncGenerator<Finding> {
  const ref = county.objects.blocks;
  return findFaults(ref.name, async (findings) => {
    const { store } = verification.release;
    const outlines = readOutlines(ref.name, await store.readRange(ref, 0, ref.bytes));
    const index = await verification.index(county);
    if (index && !sameIds(outlines.geoids, index.geoids)) {
      findings.add('features', () => 'are not the blocks of the index');
    }
    const box = boundsOf(outlines.x, outlines.y);
    const said = county.block_box.map(toMicro);
    if (outlines.x.length > 0 && box.some((edge, i) => edge !== said[i])) {
      findings.add(
        'box',
        () => `${box.join(', ')} millionths; the manifest says ${said.join(', ')}`,
      );
    }
  });
}
