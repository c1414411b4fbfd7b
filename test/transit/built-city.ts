import path from 'node:path';
import { type BuildResult, buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import type { Progress } from '../../builder/progress.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { Mode } from '../../shards/modes.ts';
import { openRelease, type Release, ReleaseCache } from '../../shards/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { Minutes, Tenths } from '../../shards/units.ts';
import { type SmallCity, shopName, writeSmallCity } from './small-city.ts';

/** A release that was built, and what the builder said meanwhile. */
export interface BuiltCity {
  readonly result: BuildResult;
  readonly release: Release;
  /** Notes and summaries of stages. */
  readonly said: readonly string[];
  /** The rows of a mode, by block and shop; without an entry where the row is missing. */
  shopTimes(mode: Mode): Promise<Map<number, Tenths>[]>;
  /** Whole minutes by transit to other blocks, by block and block. */
  reach(): Promise<Map<number, Minutes>[]>;
  close(): Promise<void>;
}

/** Builds a release of a small city with some feeds into `folder`. */
export async function buildSmallCity(
  folder: string,
  city: SmallCity,
  gtfs: readonly string[],
  serviceDate?: string,
): Promise<BuiltCity> {
  const { osm, blocks } = await writeSmallCity(folder, city);
  return buildCity(folder, { osm: [osm], blocks: [blocks], gtfs, serviceDate });
}

/** Builds a release of any inputs into `folder`. */
export async function buildCity(
  folder: string,
  inputs: Pick<BuildRequest, 'osm' | 'blocks' | 'gtfs' | 'serviceDate'>,
): Promise<BuiltCity> {
  const store = new FolderStore(path.join(folder, 'store'));
  const said: string[] = [];
  const result = await buildRelease(
    { ...inputs, counties: [], release: 'x', tiles: false },
    store,
    listening(said),
  );
  const release = await openRelease(store, new ReleaseCache(1e8));
  const [county] = Object.values(release.manifest.counties);
  return {
    result,
    release,
    said,
    async shopTimes(mode) {
      const pois = await release.pois(county);
      const shopOf = new Map(
        Array.from({ length: pois.table.count }, (_, i) => [pois.table.facts(i).name, i] as const),
      );
      const at = release.manifest.modes.indexOf(mode);
      const rows = await Promise.all(
        Array.from({ length: county.blocks }, (_, block) => release.poiRow(pois, block)),
      );
      return rows.map((row) => {
        const { targets, times } = row[at];
        const byShop = new Map<number, Tenths>();
        for (let shop = 0; shopOf.has(shopName(shop)); shop++) {
          const index = targets.indexOf(shopOf.get(shopName(shop))!);
          if (index !== -1) byShop.set(shop, times[index]);
        }
        return byShop;
      });
    },
    async reach() {
      const matrix = await Matrix.open(store, county.objects['reach-from']);
      const at = release.manifest.modes.indexOf('transit');
      const rows = await Promise.all(
        Array.from({ length: county.blocks }, (_, block) => matrix.row(store, block)),
      );
      const blockOf = (target: number) => matrix.origins.indexOf(matrix.targets[target]);
      return rows.map(({ [at]: { targets, times } }) => {
        const entries = Array.from(targets, (t, i) => [blockOf(t), times[i]] as const);
        return new Map(entries);
      });
    },
    close: () => store.close(),
  };
}

function listening(said: string[]): Progress {
  return {
    start: () => ({
      at: () => {},
      finish: (summary) => {
        if (summary) said.push(summary);
      },
    }),
    note: (line) => said.push(line),
  };
}
