import { geometryOf } from '../geometry/geo-json.ts';
import { spatialRows } from './spatial-rows.ts';
import type { ByteSink, Column, RowGroup, TableFile } from './table.ts';

/** Length, in characters, from which text is passed on to the sink. */
const PIECE_LENGTH = 1 << 20;

/**
 * Writes a table with outlines as a GeoJSON FeatureCollection (RFC 7946), one feature per line. The
 * facts of the file are members of the collection.
 */
export class GeoJsonFile implements TableFile {
  readonly #columns: readonly Column[];
  readonly #out: ByteSink;
  #text: string;
  #isFirst = true;

  /** `table` names the layer; `facts` holds further facts of the file. */
  constructor(
    columns: readonly Column[],
    { table, ...facts }: Readonly<Record<string, string>>,
    out: ByteSink,
  ) {
    this.#columns = columns;
    this.#out = out;
    const members = JSON.stringify({ type: 'FeatureCollection', name: table, ...facts });
    this.#text = `${members.slice(0, -1)},"features":[`;
  }

  append(group: RowGroup): void {
    for (const { polygons, properties } of spatialRows(this.#columns, group)) {
      const geometry = polygons && geometryOf(polygons);
      const feature = JSON.stringify({ type: 'Feature', properties, geometry });
      this.#text += `${this.#isFirst ? '' : ','}\n${feature}`;
      this.#isFirst = false;
      if (this.#text.length >= PIECE_LENGTH) this.#flush();
    }
  }

  finish(): void {
    this.#text += '\n]}\n';
    this.#flush();
  }

  #flush(): void {
    this.#out.append(Buffer.from(this.#text));
    this.#text = '';
  }
}
