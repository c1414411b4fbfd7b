import { ROW_CRC_BYTES, sealRow } from '../codec/checked-row.ts';
import { VarintWriter } from '../codec/varint.ts';
import type { PutBody } from '../store/put-body.ts';
import type { Spool } from '../store/spool.ts';
import { SpooledRows } from '../store/stored-rows.ts';
import type { Footpaths } from './footpaths.ts';
import { writeTimetable } from './timetable-codec.ts';
import {
  type CountyTransit,
  type StopWalks,
  TRANSIT_KIND,
  type TransitRowCounts,
} from './transit-table.ts';

/**
 * Writes the transit of a county, from which the legs of a journey are found.
 *
 * Sections: `META` the base window, the numbers of rows, and further windows with their names;
 * `NAME` stops, and the routes of each window; `TRIP` the timetable of each window; `FOOT` the
 * footpaths; `RDIR` the byte length of each row; `ROWS`, last, so that everything before it, the
 * head that readers cache, is one range. A row:
 *
 *     varint   number of walks
 *     varints  for each, the number of stops skipped since the previous one, and milliseconds
 *     4 bytes  checksum, see `checked-row.ts`
 *
 * A row without walks is empty.
 */
export class TransitWriter {
  readonly #windows: ReadonlyMap<string, CountyTransit>;
  readonly #counts: TransitRowCounts;
  readonly #rows: SpooledRows;
  readonly #row = new VarintWriter(1 << 12);

  /** `windows`: by name, the base window first. */
  constructor(
    stem: string,
    windows: ReadonlyMap<string, CountyTransit>,
    counts: TransitRowCounts,
    spool: Spool,
  ) {
    this.#windows = windows;
    this.#counts = counts;
    this.#rows = new SpooledRows(stem, spool);
  }

  /** Adds the next row. Rows of origins come first, then rows of blocks, then rows of POIs. */
  row({ stops, times }: StopWalks): void {
    const row = this.#row;
    row.reset();
    if (stops.length > 0) {
      row.uint(stops.length);
      let next = 0;
      for (let i = 0; i < stops.length; i++) {
        if (stops[i] < next) throw new RangeError(`row ${this.#rows.count}: stops do not ascend`);
        row.uint(stops[i] - next);
        row.uint(times[i]);
        next = stops[i] + 1;
      }
      row.take(ROW_CRC_BYTES);
      sealRow(this.#rows.sum, this.#rows.count, row.view());
    }
    this.#rows.append(row.view().slice(), [row.length]);
  }

  finish(): PutBody {
    const { origins, blocks, pois } = this.#counts;
    const [[, base], ...further] = this.#windows;
    const { windowStart, departures, step, boardSlack, stops, footpaths } = base;
    const meta = new VarintWriter();
    meta.int(windowStart);
    for (const number of [departures, step, boardSlack, origins, blocks, pois]) meta.uint(number);
    for (const [name, { windowStart, departures }] of further) {
      meta.text(name);
      meta.int(windowStart);
      meta.uint(departures);
    }
    const transits = [...this.#windows.values()];
    const names = new VarintWriter(1 << 12);
    names.texts(stops);
    for (const { routes } of transits) names.texts(routes);
    const timetables = transits.map(({ timetable }) => writeTimetable(timetable));
    return this.#rows.content(
      TRANSIT_KIND,
      [
        { tag: 'META', bytes: meta.view() },
        { tag: 'NAME', bytes: names.view() },
        { tag: 'TRIP', bytes: Buffer.concat(timetables) },
        { tag: 'FOOT', bytes: encodeFootpaths(footpaths) },
      ],
      origins + blocks + pois,
    );
  }
}

function encodeFootpaths({ first, ways }: Footpaths): Uint8Array {
  const writer = new VarintWriter(1 << 12);
  for (let stop = 0; stop + 1 < first.length; stop++) {
    writer.uint(first[stop + 1] - first[stop]);
    for (let way = first[stop]; way < first[stop + 1]; way++) {
      writer.uint(ways[2 * way]);
      writer.uint(ways[2 * way + 1]);
    }
  }
  return writer.view();
}
