import { encodeHeader, FeatureEncoder, type FgbColumnType, type FgbLayer } from '../fgb/layer.ts';
import { propertyColumns, spatialRows } from './spatial-rows.ts';
import type { ByteSink, Column, ColumnType, RowGroup, TableFile } from './table.ts';

/** Size from which features are passed on to the sink, in bytes. */
const PIECE_BYTES = 1 << 20;

const NO_OUTLINE = { polygons: [] };

/**
 * Writes a table with outlines as FlatGeobuf 3, in the order of the rows. The file has neither an
 * index nor a feature count, so it can be written while the table is read. A row without an outline
 * gets an empty outline.
 */
export class FlatGeobufFile implements TableFile {
  readonly #columns: readonly Column[];
  readonly #out: ByteSink;
  readonly #encoder: FeatureEncoder;

  /** `table` names the layer; `metadata` holds further facts of the file. */
  constructor(
    columns: readonly Column[],
    { table, description, ...metadata }: Readonly<Record<string, string>>,
    out: ByteSink,
  ) {
    const layer: FgbLayer = {
      name: table,
      isOfPoints: false,
      columns: propertyColumns(columns).map(({ name, type, description }) => ({
        name,
        type: storedType(type),
        description,
      })),
      count: 0,
      envelope: [],
      nodeSize: 0,
      description,
      metadata,
    };
    this.#columns = columns;
    this.#out = out;
    this.#encoder = new FeatureEncoder(layer);
    out.append(encodeHeader(layer));
  }

  append(group: RowGroup): void {
    let pieces: Uint8Array[] = [];
    let bytes = 0;
    const flush = () => {
      this.#out.append(Buffer.concat(pieces));
      pieces = [];
      bytes = 0;
    };
    for (const { polygons, properties } of spatialRows(this.#columns, group)) {
      const geometry = polygons ? { polygons } : NO_OUTLINE;
      const feature = this.#encoder.encode({ geometry, properties });
      pieces.push(feature);
      bytes += feature.length;
      if (bytes >= PIECE_BYTES) flush();
    }
    flush();
  }

  finish(): void {}
}

/**
 * Returns the FlatGeobuf type of a column. Throws a `TypeError` for types that FlatGeobuf lacks.
 */
function storedType(type: ColumnType): FgbColumnType {
  if (type === 'int32s' || type === 'polygons' || type === 'box') {
    throw new TypeError(`FlatGeobuf has no column of ${type}`);
  }
  return type === 'uint8' ? 'int32' : type;
}
