import type { Dice } from '../transit/dice.ts';
import {
  type Cell,
  csvField,
  type Entry,
  type InputFile,
  type Table,
  textOf,
} from './input-files.ts';
import { isName, mayBe, oddValue } from './values.ts';

/**
 * How the result of a build may differ without any word about it: not at all; in names alone; or in
 * any way, since the file now says something else that it may say.
 */
export type Silence = 'nothing' | 'names' | 'anything';

/** Changes of inputs of the city. */
export interface Mutation {
  /** The changes, in a line. */
  readonly what: string;
  /** The changed inputs, by name; null if one is absent. */
  readonly changed: ReadonlyMap<string, InputFile | null>;
  readonly silence: Silence;
}

interface Change extends Pick<Mutation, 'what' | 'silence'> {
  readonly input: InputFile | null;
}

/** A way to change an input: what to say of it, and the change. */
type Way<T> = readonly [what: string, silence: Silence, change: T];

const LOOSEST: readonly Silence[] = ['nothing', 'names', 'anything'];
/** Share of mutations that are followed by another, so that one meets the results of others. */
const MORE = 0.35;

/** Changes some inputs at random, most often one of them once. */
export function mutate(inputs: readonly InputFile[], dice: Dice): Mutation {
  const changed = new Map<string, InputFile | null>();
  const said: string[] = [];
  let silence: Silence = 'nothing';
  // Feeds have most tables, and most of the code that reads inputs.
  let original = dice.chance(0.6) ? dice.pick(inputs.slice(0, 2)) : dice.pick(inputs);
  do {
    const before = changed.get(original.name) ?? original;
    const hasCells = before.tables.every(({ columns, rows }) => columns.length * rows.length > 0);
    const change = dice.pick(hasCells ? WAYS : [changeFile])(before, dice);
    changed.set(original.name, change.input);
    said.push(`${original.name}: ${change.what}`);
    silence = LOOSEST[Math.max(LOOSEST.indexOf(silence), LOOSEST.indexOf(change.silence))];
    if (dice.chance(0.2)) original = dice.pick(inputs);
  } while (dice.chance(MORE));
  return { what: said.join('; '), changed, silence };
}

function withTable(input: InputFile, table: Table, changed: Partial<Table>): InputFile {
  const tables = input.tables.map((one) => (one === table ? { ...one, ...changed } : one));
  return { ...input, tables };
}

function withRows(input: InputFile, table: Table, rows: Table['rows']): InputFile {
  return withTable(input, table, { rows });
}

/** A row with another value in a column, which may be beyond its end. */
function withCell(row: readonly Cell[], column: number, value: Cell): readonly Cell[] {
  const cells = [...row];
  while (cells.length <= column) cells.push('');
  cells[column] = value;
  return cells;
}

const shown = (value: Cell) => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 60 ? `${text.slice(0, 40)}… (${text.length})` : text;
};

const isStopId = (column: string) => /(^|_)stop_id$/.test(column);

function oddCell(input: InputFile, dice: Dice): Change {
  const table = dice.pick(input.tables);
  const [row, column] = [dice.below(table.rows.length), dice.below(table.columns.length)];
  const name = table.columns[column];
  const before = table.rows[row][column];
  const value = valueFor(table, row, column, input, dice);
  const others = input.tables.flatMap(({ columns, rows }) => {
    const at = columns.findIndex((one) => one === name || (isStopId(one) && isStopId(name)));
    return rows.flatMap((fields) => (at < 0 ? [] : [textOf(fields[at])]));
  });
  return {
    what: `${table.name} row ${row + 1} ${name}: ${shown(before)} becomes ${shown(value)}`,
    input: withRows(
      input,
      table,
      table.rows.map((fields, i) => (i === row ? withCell(fields, column, value) : fields)),
    ),
    silence: silenceOf(input, table, name, value, others),
  };
}

function valueFor(table: Table, row: number, column: number, input: InputFile, dice: Dice): Cell {
  const before = table.rows[row][column];
  const way = dice.next();
  if (way < 0.1) return '';
  if (way < 0.2) return dice.pick(table.rows)[column];
  if (way < 0.25) return dice.pick(table.rows)[dice.below(table.columns.length)];
  if (way < 0.3) return ` ${textOf(before)} `;
  if (way < 0.33) return textOf(before).toUpperCase();
  if (way < 0.36) return `"${textOf(before)}"`;
  if (way < 0.46) {
    const other = dice.pick(input.tables);
    return dice.pick(dice.pick(other.rows));
  }
  return oddValue(dice, input.kind === 'pois');
}

function silenceOf(
  { kind }: InputFile,
  table: Table,
  column: string,
  value: Cell,
  others: readonly string[],
): Silence {
  const of = kind === 'gtfs' ? table.name : kind;
  if (!mayBe(of, column, textOf(value).trim(), others)) return 'nothing';
  return isName(of, column) ? 'names' : 'anything';
}

const hasShapes = ({ kind }: InputFile) => kind === 'blocks' || kind === 'places';
const isArchive = (input: InputFile) => input.kind === 'gtfs' || hasShapes(input);

function changeRow(input: InputFile, dice: Dice): Change {
  const table = dice.pick(input.tables);
  const { rows } = table;
  const [row, other] = [dice.below(rows.length), dice.below(rows.length)];
  const kept = 1 + dice.below(table.columns.length);
  const isCutSeen = table.columns
    .slice(kept)
    .some((name) => silenceOf(input, table, name, '', []) === 'nothing');
  const isKeyed = /^(stops|trips|calendar|levels|routes|agency)\.txt$/.test(table.name);
  // Nothing refers to rows of other tables, so their absence cannot be seen.
  const isReferredTo = /^(stops|trips|calendar)\.txt$/.test(table.name);
  const key = keyOf(table);
  const repeated = withCell(rows[row], key, rows[other][key]);
  const [what, silence, changed] = dice.pick<Way<Table['rows']>>([
    ['is dropped', isReferredTo ? 'nothing' : 'anything', rows.toSpliced(row, 1)],
    ['is doubled', 'nothing', rows.toSpliced(other, 0, rows[row])],
    ['is blank', 'anything', rows.with(row, Array(rows[row].length).fill(''))],
    [
      `and row ${other + 1} are swapped`,
      hasShapes(input) ? 'anything' : 'names',
      rows.with(row, rows[other]).with(other, rows[row]),
    ],
    [
      `ends after ${kept} fields`,
      isCutSeen ? 'nothing' : 'anything',
      rows.with(row, rows[row].slice(0, kept)),
    ],
    ['has more fields', 'nothing', rows.with(row, [...rows[row], 'more', '', '"'])],
    [
      `is repeated with the key of row ${other + 1}`,
      isKeyed ? 'nothing' : 'anything',
      [...rows, repeated],
    ],
    ['and all others are gone', 'anything', []],
  ]);
  const where = `${table.name} row ${row + 1}`;
  return { what: `${where} ${what}`, input: withRows(input, table, changed), silence };
}

/** The column of a table's key. */
function keyOf({ columns, name }: Table): number {
  const key = `${name.replace(/s?\.txt$/, '')}_id`;
  const at = columns.indexOf(name === 'calendar.txt' ? 'service_id' : key);
  return Math.max(0, at);
}

function changeColumn(input: InputFile, dice: Dice): Change {
  const table = dice.pick(input.tables);
  const { columns, rows } = table;
  const [column, other] = [dice.below(columns.length), dice.below(columns.length)];
  const name = columns[column];
  const isList = input.kind === 'pois';
  const each = (change: (fields: readonly Cell[]) => readonly Cell[]): Partial<Table> => ({
    columns: change(columns) as string[],
    rows: rows.map(change),
  });
  const renamed = (to: string) => ({ columns: columns.with(column, to) });
  const filled = (value: Cell): Way<Partial<Table>> => [
    `is ${shown(value)} in every row`,
    silenceOf(input, table, name, value, []),
    { rows: rows.map((fields) => withCell(fields, column, value)) },
  ];
  const swapped = (fields: readonly Cell[]) =>
    withCell(withCell(fields, column, fields[other]), other, fields[column]);
  const [odd, more] = [String(oddValue(dice, false)), String(oddValue(dice, false)).slice(0, 50)];
  // Lists of POIs may lack any column.
  const seen = isList ? 'anything' : 'nothing';
  const [what, silence, changed] = dice.pick<Way<Partial<Table>>>([
    [
      'is dropped',
      input.kind === 'blocks' ? 'nothing' : 'anything',
      each((fields) => fields.toSpliced(column, 1)),
    ],
    ['is doubled', seen, each((fields) => [...fields, fields[column]])],
    [`and ${columns[other]} change places`, seen, each(swapped)],
    [`is named ${shown(name.toUpperCase())}`, seen, renamed(name.toUpperCase())],
    [`is named ${shown(odd)}`, 'anything', renamed(odd)],
    filled(''),
    filled(oddValue(dice, isList)),
    [
      'has another column of its name, empty',
      seen,
      { columns: [...columns, name], rows: rows.map((fields) => [...fields, '']) },
    ],
    [`follows ${shown(more)}`, seen, each((fields) => [more, ...fields])],
  ]);
  const where = `${table.name} column ${name}`;
  return { what: `${where} ${what}`, input: withTable(input, table, changed), silence };
}

function changeText(input: InputFile, dice: Dice): Change {
  const table = dice.pick(input.tables);
  const place = dice.next();
  const spot = (text: string) => Math.floor(place * text.length);
  const plain = separated(table, ',');
  // In the header, it is part of the name of another column.
  const inHeader = (isInHeader: boolean): Silence => (isInHeader ? 'anything' : 'names');
  const into = (what: string, inserted: string): Way<(text: string) => string> => [
    `has ${what} at ${place.toFixed(4)} of the text`,
    inHeader(spot(plain) <= plain.indexOf('\n')),
    (text) => text.slice(0, spot(text)) + inserted + text.slice(spot(text)),
  ];
  const [row, field] = [dice.below(table.rows.length + 1), dice.below(table.columns.length)];
  const [quote, atStart] = [dice.pick(['"', '""', '" ', 'x"']), dice.chance(0.5)];
  const [what, silence, change] = dice.pick<Way<(text: string) => string>>([
    ['lines end in \\r\\n', 'nothing', (text) => text.replaceAll('\n', '\r\n')],
    ['lines end in \\r', 'nothing', (text) => text.replaceAll('\n', '\r')],
    ['lines end in \\n\\n', 'nothing', (text) => text.replaceAll('\n', '\n\n')],
    ['the last line is open', 'nothing', (text) => text.trimEnd()],
    ['begins with a byte order mark', 'nothing', (text) => `\ufeff${text}`],
    ['every field is quoted', 'nothing', () => quoted(table, '\n')],
    ['is separated by semicolons', 'nothing', () => separated(table, ';')],
    ['is separated by tabs', 'nothing', () => separated(table, '\t')],
    ['fields have spaces around them', 'nothing', () => separated(table, ' , ')],
    [`is cut at ${place.toFixed(4)}`, 'anything', (text) => text.slice(0, spot(text))],
    [
      `record ${row + 1} field ${field + 1} ${atStart ? 'begins' : 'ends'} with ${quote}`,
      inHeader(row === 0),
      () => withOddQuote(table, row, field, quote, atStart),
    ],
    into('a quote', '"'),
    into('a NUL', '\0'),
    into('a line end', dice.pick(['\n', '\r', '\r\n', '\n\n', '\u2028'])),
  ]);
  const { name } = table;
  const changed = (all: string, of: string) => (of === name ? change(all) : all);
  return { what: `${name}: ${what}`, input: { ...input, text: changed }, silence };
}

function quoted({ columns, rows }: Table, lineEnd: string): string {
  const field = (value: Cell) => `"${textOf(value).replaceAll('"', '""')}"`;
  return [columns, ...rows].map((row) => row.map(field).join(',') + lineEnd).join('');
}

function separated({ columns, rows }: Table, by: string): string {
  return [columns, ...rows].map((row) => `${row.map(csvField).join(by)}\n`).join('');
}

function withOddQuote(
  { columns, rows }: Table,
  row: number,
  field: number,
  quote: string,
  atStart: boolean,
): string {
  const lines = [columns, ...rows].map((fields, i) =>
    fields.map((value, j) => {
      if (i !== row || j !== field) return csvField(value);
      return atStart ? `${quote}${textOf(value)}` : `${textOf(value)}${quote}`;
    }),
  );
  return lines.map((fields) => `${fields.join(',')}\n`).join('');
}

const WEB_PAGE = Buffer.from('<!DOCTYPE html><html>Not Found</html>');

type OfBytes = (bytes: Buffer) => Buffer;

const followedBy =
  (more: Buffer): OfBytes =>
  (bytes) =>
    Buffer.concat([bytes, more]);

/** Flips a bit of the byte after a part of the bytes. */
const flipped =
  (place: number, bit: number): OfBytes =>
  (bytes) => {
    const changed = Buffer.from(bytes);
    changed[Math.floor(place * bytes.length)] ^= 1 << bit;
    return changed;
  };

function changeBytes(input: InputFile, dice: Dice): Change {
  const { name } = dice.pick(input.tables);
  const [place, bit] = [dice.next(), dice.below(8)];
  const byte = dice.pick([0xff, 0xc3, 0x80, 0xed, 0x00]);
  const at = place.toFixed(4);
  const withByte: OfBytes = (bytes) => {
    const spot = Math.floor(place * bytes.length);
    return Buffer.concat([bytes.subarray(0, spot), Buffer.of(byte), bytes.subarray(spot)]);
  };
  const [what, silence, change] = dice.pick<Way<OfBytes>>([
    ['is in ISO-8859-1', 'nothing', (bytes) => Buffer.from(String(bytes), 'latin1')],
    ['is in UTF-16', 'nothing', (bytes) => Buffer.from(`\ufeff${bytes}`, 'utf16le')],
    ['is in UTF-16 without a mark', 'nothing', (bytes) => Buffer.from(String(bytes), 'utf16le')],
    ['is empty', 'anything', () => Buffer.alloc(0)],
    ['has NULs after it', 'nothing', followedBy(Buffer.alloc(100))],
    ['is a web page', 'anything', () => WEB_PAGE],
    [`bit ${bit} at ${at} is flipped`, 'anything', flipped(place, bit)],
    [`has byte ${byte} at ${at}`, 'anything', withByte],
  ]);
  const changed = (bytes: Buffer, of: string) => (of === name ? change(bytes) : bytes);
  return { what: `${name}: ${what}`, input: { ...input, bytes: changed }, silence };
}

type OfEntries = (entries: readonly Entry[]) => Entry[];

const renamed =
  (change: (name: string) => string): OfEntries =>
  (entries) =>
    entries.map(({ name, bytes }) => ({ name: change(name), bytes }));

const entry = (name: string, text: string): Entry => ({ name, bytes: Buffer.from(text) });

const OTHER_FILES = [
  entry('.DS_Store', 'x'),
  entry('readme.md', 'x'),
  entry('shapes.txt', '\0\xff"'),
  entry('vehicles.txt', ''),
];

function changeArchive(input: InputFile, dice: Dice): Change {
  if (!isArchive(input)) return changeFile(input, dice);
  const { name } = dice.pick(input.tables);
  const isTable = (one: Entry) => one.name === name;
  const table = (change: (name: string) => string) =>
    renamed((one) => (one === name ? change(one) : one));
  const again =
    (change: (name: string) => string): OfEntries =>
    (all) => [...all, ...renamed(change)(all.filter(isTable))];
  const ofMac = ({ name: one }: Entry) => entry(`__MACOSX/._${one}`, '\0\x05\x16\x07');
  const [what, silence, entries] = dice.pick<Way<OfEntries>>([
    ['entries are in capitals', 'nothing', renamed((one) => one.toUpperCase())],
    [`${name} is in capitals`, 'nothing', table((one) => one.toUpperCase())],
    ['entries are in a folder', 'nothing', renamed((one) => `a folder/${one}`)],
    [`${name} is in a folder`, 'nothing', table((one) => `x/${one}`)],
    [`${name} is there twice`, 'nothing', again((one) => one)],
    [`${name} is there also in a folder`, 'nothing', again((one) => `old/${one}`)],
    ['has the entries of a Mac', 'nothing', (all) => [...all, ...all.map(ofMac)]],
    ['has other files', 'nothing', (all) => [...OTHER_FILES, ...all]],
    ['paths have backslashes', 'nothing', renamed((one) => `feed\\${one}`)],
    ['a name leaves the archive', 'nothing', (all) => [...all, entry('../../evil.txt', 'x')]],
    [`${name} is a folder`, 'anything', table((one) => `${one}/`)],
    ['is empty', 'anything', () => []],
    [`${name} is absent`, 'anything', (all) => all.filter((one) => !isTable(one))],
  ]);
  return { what, input: { ...input, entries }, silence };
}

function changeFile(input: InputFile, dice: Dice): Change {
  if (dice.chance(1 / 9)) return { what: 'is absent', input: null, silence: 'anything' };
  const [place, bit] = [dice.next(), dice.below(8)];
  const at = place.toFixed(4);
  const head = Buffer.from('HTTP/1.1 200 OK\r\n\r\n');
  const seen = isArchive(input) ? 'nothing' : 'anything';
  const [what, silence, file] = dice.pick<Way<OfBytes>>([
    [`is cut at ${at}`, 'nothing', (bytes) => bytes.subarray(0, place * bytes.length)],
    ['is empty', 'nothing', () => Buffer.alloc(0)],
    ['has a web page after it', 'nothing', followedBy(Buffer.from('<html></html>'.repeat(50)))],
    ['has bytes before it', 'nothing', (bytes) => Buffer.concat([head, bytes])],
    ['is a web page', 'nothing', () => WEB_PAGE],
    ['has NULs after it', 'nothing', followedBy(Buffer.alloc(2_000))],
    ['is there twice in a row', 'nothing', (bytes) => Buffer.concat([bytes, bytes])],
    [`bit ${bit} at ${at} of the file is flipped`, seen, flipped(place, bit)],
  ]);
  return { what, input: { ...input, file }, silence };
}

const WAYS: readonly ((input: InputFile, dice: Dice) => Change)[] = [
  ...Array(8).fill(oddCell),
  ...Array(4).fill(changeRow),
  ...Array(3).fill(changeColumn),
  ...Array(4).fill(changeText),
  ...Array(2).fill(changeBytes),
  ...Array(2).fill(changeArchive),
  changeFile,
];
