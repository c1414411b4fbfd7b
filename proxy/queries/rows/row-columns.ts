import { z } from 'zod';
import { getOrInsertComputed } from '../../../shards/arrays/group-by.ts';
import { BLOCK_GEOID, type GeoidNumber, geoidFromNumber } from '../../../shards/geoid.ts';
import { TENTHS } from '../../../shards/matrix/row-codec.ts';
import { BASE_MODES, MODE_LABELS, type Mode } from '../../../shards/modes.ts';
import type { Taxonomy } from '../../../shards/taxonomy.ts';
import type { DestTypeId, Tenths } from '../../../shards/units.ts';
import { BOUNDS } from '../../bounds.ts';
import {
  Columns,
  KeptPart,
  NO_COLUMNS,
  type PartWriter,
  type RowPart,
} from '../../formats/columns.ts';
import { type ByteText, inOnePiece } from '../../formats/rows.ts';

export function rowSchema(...parts: readonly Columns<never>[]) {
  const shape: Record<string, z.ZodType> = {};
  for (const { members } of parts) {
    for (const [name, { schema }] of Object.entries(members)) if (schema) shape[name] = schema;
  }
  return z.object(shape);
}

const MAX_MINUTES = BOUNDS.maxMinutes.max;

/** The document lists the modes of every release here, and served, those of its own. */
export const modeSchema = z.enum(BASE_MODES).meta({ id: 'Mode', description: 'Travel mode.' });

export const tenthsOfMinutes = z
  .number()
  .min(1)
  .max(MAX_MINUTES)
  .meta({
    description: `Minutes, one decimal. POIs more than ${MAX_MINUTES} minutes away have no row.`,
    example: 12.3,
  });

/** A tract's code has eleven digits; a block's GEOID adds four. */
const TRACT_DIGITS = 11;
const BLOCKS_PER_TRACT = 10_000;
const BLOCK_CODES = Array.from({ length: BLOCKS_PER_TRACT }, (_, i) => String(i).padStart(4, '0'));
const ANY = geoidFromNumber(0);

/** The GEOID of a block: written fastest for blocks that come tract by tract. */
class GeoidColumn extends Columns<GeoidNumber> {
  constructor() {
    const schema = z.string().regex(BLOCK_GEOID);
    super({ geoid: { type: 'string', schema, of: geoidFromNumber } });
  }

  override written<F>(writer: PartWriter<F>): (geoid: GeoidNumber) => F {
    const any = writer.members({ geoid: ANY }, this.columns);
    if (typeof any !== 'string') return super.written(writer);
    return textOfGeoid(any) as (geoid: GeoidNumber) => F & ByteText;
  }
}

function textOfGeoid(any: ByteText): (geoid: GeoidNumber) => ByteText {
  const [before, after] = any.split(ANY);
  let lastTract = -1;
  let beforeBlock: ByteText = '';
  let last = -1;
  let text: ByteText = '';
  return (geoid) => {
    if (geoid === last) return text;
    last = geoid;
    const tract = Math.floor(geoid / BLOCKS_PER_TRACT);
    if (tract !== lastTract) {
      lastTract = tract;
      beforeBlock = inOnePiece(before + String(tract).padStart(TRACT_DIGITS, '0'));
    }
    text = beforeBlock + BLOCK_CODES[geoid - tract * BLOCKS_PER_TRACT] + after;
    return text;
  };
}

export const GEOID = new GeoidColumn();

export interface ModeTime {
  readonly mode: Mode;
  readonly tenths: Tenths;
}

export const MODE_TIME = new Columns<ModeTime>({
  mode: { type: 'string', schema: modeSchema },
  travel_time: { type: 'double', schema: tenthsOfMinutes, of: ({ tenths }) => tenths / 10 },
});

/** Number of times by one mode, from 0. */
const TIMES = TENTHS.most + 1;

export const TIME_KEYS = MODE_LABELS.length * TIMES;

/** Returns the first of the keys of times by a mode, to which tenths of a minute are added. */
export function timeKey(mode: Mode): number {
  return MODE_LABELS.indexOf(mode) * TIMES;
}

export function modeTimeOf(key: number): ModeTime {
  return { mode: MODE_LABELS[Math.floor(key / TIMES)], tenths: key % TIMES };
}

export const TIME = new KeptPart(MODE_TIME, TIME_KEYS, modeTimeOf);

interface TypeSource {
  readonly type: DestTypeId;
  readonly label?: string;
}
const typeId = new Columns<TypeSource>({
  dest_type_id: { type: 'int32', schema: z.int(), of: ({ type }) => type },
});
const labelledType = new Columns<TypeSource>({
  ...typeId.members,
  dest_type: {
    type: 'string',
    schema: z.string().optional().meta({ description: 'With `names`: the label of the type.' }),
    of: ({ label }) => label,
  },
});

export const TYPE_COLUMNS = labelledType;

const MAX_TYPES = 1 << 16;
const TYPE_IDS = new KeptPart(typeId, MAX_TYPES, (type: DestTypeId) => ({ type }));
const labelled = new WeakMap<Taxonomy, RowPart<DestTypeId>>();

/** Returns the columns of a destination type, by its id; without labels if `labels` is null. */
export function typeColumns(labels: Taxonomy | null): RowPart<DestTypeId> {
  if (labels === null) return TYPE_IDS;
  return getOrInsertComputed(labelled, labels, ({ leafIds }) => {
    const count = leafIds[leafIds.length - 1] + 1;
    const sourceOf = (type: DestTypeId) => ({ type, label: labels.labelOf(type) });
    return new KeptPart(labelledType, count, sourceOf);
  });
}

export interface RowOrigin {
  readonly columns: Columns<object>;
  readonly name: object;
}
/** The origin of rows that need not name it, as there is only one. */
export const NO_ORIGIN: RowOrigin = { columns: NO_COLUMNS, name: {} };

export const BLOCK_ORIGIN = new Columns<object>({
  geoid: { type: 'string', schema: z.string() },
});
export const POINT_ORIGIN = new Columns<object>({
  origin_lat: { type: 'double', schema: z.number() },
  origin_lon: { type: 'double', schema: z.number() },
});
