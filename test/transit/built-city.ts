import path from 'node:path';
import { type BuildResult, buildRelease } from '../../builder/build.ts';
import type { BuildRequest } from '../../builder/build-request.ts';
import type { Progress } from '../../builder/progress.ts';
import { Matrix } from '../../shards/matrix/matrix.ts';
import type { Release } from '../../shards/release/release.ts';
import { FolderStore } from '../../shards/store/folder-store.ts';
import type { Minutes, Tenths } from '../../shards/units.ts';
import { releaseIn } from '../support/release-in.ts';
import { type SmallCity, shopName, writeSmallCity } from './small-city.ts';

/** A finished release, and the builder's messages. */
export interface BuiltCity {
  readonly result: BuildResult;
  readonly release: Release;
  /** Notes and summaries of stages. */
  readonly said: readonly string[];
  /** Tenths of a minute by a service, by block and then by shop; none where a row is missing. */
  shopTimes(service: string): Promise<Map<number, Tenths>[]>;
  /** Tenths from each block to the nearest place of a type; 0 for none in reach. */
  nearest(label: string, service?: string): Promise<Tenths[]>;
  /** Whole minutes between blocks, by origin and then by target. */
  reach(service?: string): Promise<Map<number, Minutes>[]>;
  close(): Promise<void>;
}

/** Builds a release of a small city with some feeds into `folder`. */
export async function buildSmallCity(
  folder: string,
  city: SmallCity,
  gtfs: readonly string[],
  options: Pick<
    BuildRequest,
    'serviceDate' | 'windows' | 'percentiles' | 'furtherModes' | 'wheelchairUnknown' | 'routing'
  > = {},
): Promise<BuiltCity> {
  return buildCity(folder, { ...(await writeSmallCity(folder, city)), gtfs, ...options });
}

/** Builds a release of any inputs into `folder`. */
export async function buildCity(
  folder: string,
  inputs: Omit<BuildRequest, 'counties' | 'release' | 'tiles'>,
): Promise<BuiltCity> {
  const store = new FolderStore(path.join(folder, 'store'));
  const said: string[] = [];
  const result = await buildRelease(
    { ...inputs, counties: [], release: 'x', tiles: false },
    store,
    listening(said),
  );
  const release = await releaseIn(store);
  const [county] = Object.values(release.manifest.counties);
  return {
    result,
    release,
    said,
    async shopTimes(service) {
      const pois = await release.pois(county);
      const shopOf = new Map(
        Array.from({ length: pois.table.count }, (_, i) => [pois.table.facts(i).name, i] as const),
      );
      const at = release.manifest.modes.indexOf(service);
      const rows = await Promise.all(
        Array.from({ length: county.blocks }, (_, block) => pois.matrix.row(block)),
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
    async nearest(label, service = 'transit') {
      const { leafIds } = release.taxonomy;
      const column = leafIds.indexOf(leafOf(release, label));
      const at = release.manifest.modes.indexOf(service) * leafIds.length + column;
      const rows = Array.from({ length: county.blocks }, (_, block) =>
        release.nearest(county, block),
      );
      return (await Promise.all(rows)).map((row) => row[at]);
    },
    async reach(service = 'transit') {
      const matrix = await Matrix.open(store, county.objects['reach-from']);
      const at = release.manifest.modes.indexOf(service);
      const rows = await Promise.all(
        Array.from({ length: county.blocks }, (_, block) => matrix.row(block)),
      );
      const blocks = Array.from(matrix.targets, (target) => matrix.origins.indexOf(target));
      return rows.map(
        ({ [at]: { targets, times } }) =>
          new Map(Array.from(targets, (target, i) => [blocks[target], times[i]] as const)),
      );
    },
    close: () => store.close(),
  };
}

function leafOf(release: Release, label: string): number {
  return release.manifest.taxonomy.types.find((type) => type.label === label)!.dest_type_id;
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
