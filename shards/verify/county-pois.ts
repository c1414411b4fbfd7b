import { ShardError } from '../errors.ts';
import { geoidFromNumber } from '../geoid.ts';
import { type ModeRow, TENTHS } from '../matrix/row-codec.ts';
import {
  decodeNearestRow,
  decodeNearestShape,
  NEAREST_KIND,
  nearestBytes,
  nearestRange,
} from '../nearest/nearest.ts';
import type { PoiTable } from '../pois/poi-table.ts';
import type { CountyManifest } from '../release/manifest.ts';
import { checkedSection, HEADER_READ_BYTES, readEnvelope, sectionOf } from '../store/envelope.ts';
import type { ObjectRef, Store } from '../store/store.ts';
import type { CountyFips } from '../units.ts';
import { NthNearestSums, verifyNthNearest } from './county-nth-nearest.ts';
import { type Finding, Findings, findFaults } from './finding.ts';
import { originRowCheck } from './row-rules.ts';
import type { Verification } from './verification.ts';

const READ_BYTES = 2 ** 20;

/**
 * Verifies the rows of a county's POI matrix: their POIs are in the release, transit is no slower
 * than walking, and a block without a street has no rows. Also verifies that the `nearest` and
 * `nth-nearest` objects hold what follows from these rows.
 */
export async function* verifyPois(
  verification: Verification,
  fips: CountyFips,
  county: CountyManifest,
): AsyncGenerator<Finding> {
  const { release, dests } = verification;
  const { pois: ref, nearest: nearestRef, 'nth-nearest': nthRef } = county.objects;
  let sums = null as NthNearestSums | null;
  const index = await verification.index(county);
  const nearestFindings = new Findings(nearestRef.name);
  const nearest = verification.isSound(nearestRef)
    ? new NearestRows(release.store, nearestRef, county.blocks, release.columns)
    : null;
  if (nearest) yield* findFaults(nearestRef.name, () => nearest.checkShape());
  yield* findFaults(ref.name, async (findings) => {
    const { matrix, table } = await release.pois(county);
    verification.checkShape(matrix, TENTHS, index?.geoids ?? null, findings);
    const { modes } = release.manifest;
    const check = originRowCheck(matrix, modes, index, findings, (id) => `dest_id ${id}`);
    const homes = Int32Array.from(matrix.targets, (id) => {
      const home = dests?.countyOf(id) ?? null;
      if (dests && home === null) findings.add('POIs without a county', () => `dest_id ${id}`);
      return home === null ? -1 : verification.countyNumber(home);
    });
    const nth = index && new NthNearestSums(matrix, table, release.taxonomy);
    const least = minOf(table, release.taxonomy.leafIds, modes.length, findings);
    const scan = verification.pois.matrix(verification.countyNumber(fips), matrix, homes);
    for await (const { ordinal, modes: rows } of matrix.rows()) {
      const block = () => `block ${geoidFromNumber(matrix.origins[ordinal])}`;
      scan.row(ordinal, rows);
      check(ordinal, rows);
      nth?.row(ordinal, rows);
      if (!nearest?.isShaped) continue;
      await compareNearest(nearest, ordinal, least(rows), nearestFindings, (column) => {
        const mode = modes[Math.floor(column / release.taxonomy.leafIds.length)];
        const type = release.taxonomy.leafIds[column % release.taxonomy.leafIds.length];
        return `${block()}, ${mode}, type ${type}`;
      });
    }
    // Without home counties, catchments cannot be checked.
    if (dests) scan.finish();
    sums = nth;
  });
  yield* nearestFindings.faults();
  if (sums && verification.isSound(nthRef)) yield* verifyNthNearest(release, nthRef, sums);
}

function minOf(
  table: PoiTable,
  leafIds: readonly number[],
  modes: number,
  findings: Findings,
): (rows: readonly ModeRow[]) => Uint16Array {
  const columnOf = new Map(leafIds.map((id, column) => [id, column]));
  const columns = Array.from({ length: table.count }, (_, poi) =>
    Array.from(table.types(poi), (type) => {
      if (!columnOf.has(type)) findings.add('types that are no leaves', () => `type ${type}`);
      return columnOf.get(type) ?? -1;
    }).filter((column) => column !== -1),
  );
  const least = new Uint16Array(modes * leafIds.length);
  return (rows) => {
    least.fill(0);
    rows.forEach(({ targets, times }, mode) => {
      for (let i = 0; i < targets.length; i++) {
        for (const column of columns[targets[i]]) {
          const at = mode * leafIds.length + column;
          if (least[at] === 0 || times[i] < least[at]) least[at] = times[i];
        }
      }
    });
    return least;
  };
}

async function compareNearest(
  nearest: NearestRows,
  ordinal: number,
  least: Uint16Array,
  findings: Findings,
  cell: (column: number) => string,
): Promise<void> {
  let said: Uint16Array;
  try {
    said = await nearest.row(ordinal);
  } catch (error) {
    if (!(error instanceof ShardError)) throw error;
    const { part, message } = error;
    findings.add('rows', () => message.slice(message.indexOf(part)));
    return;
  }
  const wrong = said.findIndex((time, column) => time !== least[column]);
  if (wrong === -1) return;
  findings.add(
    'not the least of the POI rows',
    () => `${cell(wrong)}: ${said[wrong]} tenths, not ${least[wrong]}`,
  );
}

/** The rows of a nearest object in order, many per read. */
class NearestRows {
  readonly #store: Store;
  readonly #ref: ObjectRef;
  readonly #rows: number;
  readonly #columns: number;
  #first = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  isShaped = false;

  constructor(store: Store, ref: ObjectRef, rows: number, columns: number) {
    this.#store = store;
    this.#ref = ref;
    this.#rows = rows;
    this.#columns = columns;
  }

  async checkShape(): Promise<void> {
    const { name, bytes } = this.#ref;
    const head = await this.#store.readRange(this.#ref, 0, Math.min(bytes, HEADER_READ_BYTES));
    const envelope = readEnvelope(name, head, bytes, NEAREST_KIND);
    const { offset, bytes: length } = sectionOf(name, envelope, 'META');
    const section = await this.#store.readRange(this.#ref, offset, length);
    const meta = checkedSection(name, envelope, 'META', section, offset);
    const { rows, columns } = decodeNearestShape(meta);
    if (rows !== this.#rows || columns !== this.#columns) {
      const wanted = `${this.#rows} blocks × ${this.#columns}`;
      throw new ShardError(name, 'META', `${rows} × ${columns} cells for ${wanted}`);
    }
    if (bytes !== nearestBytes(rows, columns)) {
      throw new ShardError(name, 'length', 'does not match its rows');
    }
    this.isShaped = true;
  }

  /** Returns a row; reads on from `ordinal` if that row is not among the rows last read. */
  async row(ordinal: number): Promise<Uint16Array> {
    const { offset, length } = nearestRange(ordinal, this.#columns);
    if (ordinal < this.#first || (ordinal - this.#first + 1) * length > this.#bytes.length) {
      const rows = Math.min(this.#rows - ordinal, Math.ceil(READ_BYTES / length));
      this.#bytes = await this.#store.readRange(this.#ref, offset, rows * length);
      this.#first = ordinal;
    }
    const at = (ordinal - this.#first) * length;
    const bytes = this.#bytes.subarray(at, at + length);
    return decodeNearestRow(this.#ref.name, ordinal, bytes, this.#columns);
  }
}
