import type { AddressDirectory } from '../addresses/address-directory.ts';
import type { BlockIndex } from '../blocks/block-index.ts';
import { ShardError } from '../errors.ts';
import { countyOfBlock, type GeoidNumber, geoidFromNumber } from '../geoid.ts';
import type { Matrix } from '../matrix/matrix.ts';
import type { TimeUnit } from '../matrix/row-codec.ts';
import type { DestDirectory } from '../pois/dest-directory.ts';
import type { CountyManifest } from '../release/manifest.ts';
import type { Release } from '../release/release.ts';
import type { ObjectRef } from '../store/store.ts';
import type { CountyFips } from '../units.ts';
import type { Findings } from './finding.ts';
import { outOfOrder, sameIds } from './row-rules.ts';
import { TransposeCheck } from './transpose-check.ts';

export class Verification {
  readonly release: Release;
  /** Home county of each POI; null while unreadable. */
  dests: DestDirectory | null = null;
  /** The directory of addresses; null while unreadable. */
  addresses: AddressDirectory | null = null;
  /** The number of POIs at home in each county whose catchment can be read. */
  readonly homes: number[] = [];
  readonly pois: TransposeCheck;
  readonly reach: TransposeCheck;
  readonly #sound = new Set<string>();
  readonly #numberOf: ReadonlyMap<CountyFips, number>;

  constructor(release: Release) {
    this.release = release;
    const counties = Object.keys(release.manifest.counties).sort();
    this.#numberOf = new Map(counties.map((fips, i) => [fips, i]));
    this.pois = new TransposeCheck(counties.length);
    this.reach = new TransposeCheck(counties.length);
  }

  passed({ name }: ObjectRef): void {
    this.#sound.add(name);
  }

  isSound(...refs: readonly ObjectRef[]): boolean {
    return refs.every(({ name }) => this.#sound.has(name));
  }

  countyNumber(fips: CountyFips): number {
    return this.#numberOf.get(fips) ?? -1;
  }

  /** County number of each block; -1 for a block whose county is not in the release. */
  countiesOfBlocks(geoids: Float64Array): Int32Array {
    return Int32Array.from(geoids, (geoid) => this.countyNumber(countyOfBlock(geoid)));
  }

  /** The blocks of a county; null if its index is unreliable, which has then been reported. */
  async index(county: CountyManifest): Promise<BlockIndex | null> {
    if (!this.isSound(county.objects.index)) return null;
    try {
      return await this.release.index(county);
    } catch (error) {
      if (error instanceof ShardError) return null;
      throw error;
    }
  }

  /** Checks the head of any matrix. `ids`: the expected origins. */
  checkShape(matrix: Matrix, unit: TimeUnit, ids: Float64Array | null, findings: Findings): void {
    const modes = this.release.manifest.modes.length;
    if (matrix.modes !== modes) findings.add('modes', () => `${matrix.modes} of ${modes}`);
    if (matrix.unit !== unit) findings.add('unit', () => `${matrix.unit.name}, not ${unit.name}`);
    for (const [side, dictionary] of [
      ['origins', matrix.origins],
      ['targets', matrix.targets],
    ] as const) {
      const at = outOfOrder(dictionary);
      if (at !== -1) findings.add(`${side} out of order`, () => `id ${dictionary[at]}`);
    }
    if (ids && !sameIds(matrix.origins, ids)) {
      findings.add('origins', () => 'are not the blocks of the index');
    }
  }

  /**
   * Checks that every block of a dictionary is in the index of its county. `pastRelease`: blocks of
   * counties outside the release are allowed too.
   */
  async checkBlocks(
    geoids: Float64Array,
    findings: Findings,
    { pastRelease }: { readonly pastRelease: boolean } = { pastRelease: false },
  ): Promise<void> {
    let county: CountyFips = '';
    let known: ReadonlySet<GeoidNumber> | null = null;
    for (const geoid of geoids) {
      const fips = countyOfBlock(geoid);
      if (fips !== county) {
        county = fips;
        const manifest = this.release.county(fips);
        const index = manifest ? await this.index(manifest) : null;
        const isUnknown = manifest ? !index : pastRelease;
        known = isUnknown ? null : new Set(index?.geoids);
      }
      if (known?.has(geoid) === false) {
        findings.add('blocks that are not in the release', () => geoidFromNumber(geoid));
      }
    }
  }
}
