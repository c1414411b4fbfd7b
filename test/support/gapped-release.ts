import { silent } from '../../builder/progress.ts';
import { Receipts } from '../../builder/receipts/receipts.ts';
import { inScratchFolder } from '../../builder/scratch-folder.ts';
import { buildBlockBands } from '../../builder/tiles/build-block-bands.ts';
import { BlockIndex, type BlockLink, type BlockRecord } from '../../shards/blocks/block-index.ts';
import { LINK_MODES } from '../../shards/modes.ts';
import { decodeNearestRow, encodeNearest, nearestRange } from '../../shards/nearest/nearest.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { Taxonomy } from '../../shards/taxonomy.ts';
import { drawRelease } from './draw-release.ts';
import { stemOf, TamperedRelease } from './tampered-release.ts';

const EVERY = 7;
const UNLINKED: BlockLink = { status: 'no-street-near', snap: 0 };

/**
 * Copies a release and removes the links of every seventh linked block with land: in turn those for
 * walking, for riding, and for both. The copy's tiles and block bands are built again, unless it is
 * to have none.
 */
export async function gappedRelease(
  store: string,
  wanted: { readonly tiles: boolean } = { tiles: true },
): Promise<TamperedRelease> {
  const release = await TamperedRelease.copyOf(store, { tiles: false });
  const { modes, taxonomy, counties } = release.manifest;
  const leaves = new Taxonomy(taxonomy.types).leafIds.length;
  const columns = modes.length * leaves;
  let linked = 0;
  for (const { objects } of Object.values(counties)) {
    const lostBy = new Map<number, readonly string[]>();
    const index = BlockIndex.decode(objects.index.name, await release.bytesOf(objects.index));
    const nearest = await release.bytesOf(objects.nearest);
    const times = new Uint16Array(index.count * columns);
    const records = Array.from(index.geoids, (geoid, block): BlockRecord => {
      const isCandidate = index.isFullyRoutable(block) && index.landArea(block) !== 0;
      const turn = isCandidate && ++linked % EVERY === 0 ? (linked / EVERY) % 3 : null;
      const lost = turn === null ? [] : [['walk'], ['bike'], ['walk', 'bike']][turn];
      lostBy.set(block, lost);
      const { offset, length } = nearestRange(block, columns);
      const bytes = nearest.subarray(offset, offset + length);
      decodeNearestRow(objects.nearest.name, block, bytes, columns).forEach((time, column) => {
        const street = streetOf(modes[Math.floor(column / leaves)]);
        times[block * columns + column] = lost.includes(street) ? 0 : time;
      });
      return {
        geoid,
        population: index.population(block),
        landArea: index.landArea(block),
        lon: index.lon[block],
        lat: index.lat[block],
        links: LINK_MODES.map((mode) => (lost.includes(mode) ? UNLINKED : index.link(block, mode))),
      };
    });
    await release.replace(objects.index, BlockIndex.encode(records));
    await release.replace(objects.nearest, encodeNearest(stemOf(objects.nearest), times, columns));
    await release.editRows(objects['nth-nearest'], (rows) =>
      rows.map(({ targets, times }, mode) => {
        const keeps = (_: number, i: number) =>
          !lostBy.get(targets[i])!.includes(streetOf(modes[mode]));
        return { targets: targets.filter(keeps), times: times.filter(keeps) };
      }),
    );
  }
  if (wanted.tiles) await drawAgain(release);
  await release.publish();
  return release;
}

/** Makes the tiles and the block bands of a release. */
async function drawAgain({ folder, manifest }: TamperedRelease): Promise<void> {
  const { modes, taxonomy, counties } = manifest;
  const target = new FolderStore(folder);
  manifest.tiles = await inScratchFolder(undefined, (scratch) =>
    drawRelease({ modes, taxonomy, counties }, target, { scratch }),
  );
  const receipts = new Receipts(target);
  const context = { store: target, receipts, progress: silent };
  for (const [fips, made] of await buildBlockBands({ modes, taxonomy, counties }, context)) {
    counties[fips].block_bands = made;
  }
  await target.close();
}

function streetOf(mode: string): 'walk' | 'bike' {
  return mode === 'bike' ? 'bike' : 'walk';
}
