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
  const at = `${table.name} row ${row + 1}`;
  const replaced = (fields: readonly Cell[]) => withRows(input, table, rows.with(row, fields));
  const isKeyed = /^(stops|trips|calendar|levels|routes|agency)\.txt$/.test(table.name);
  switch (dice.below(8)) {
    case 0:
      return {
        what: `${at} is dropped`,
        input: withRows(input, table, rows.toSpliced(row, 1)),
        // Nothing refers to rows of other tables, so their absence cannot be seen.
        silence: /^(stops|trips|calendar)\.txt$/.test(table.name) ? 'nothing' : 'anything',
      };
    case 1:
      return {
        what: `${at} is doubled`,
        input: withRows(input, table, rows.toSpliced(other, 0, rows[row])),
        silence: 'nothing',
      };
    case 2:
      return {
        what: `${at} is blank`,
        input: replaced(rows[row].map(() => '')),
        silence: 'anything',
      };
    case 3:
      return {
        what: `${at} and row ${other + 1} are swapped`,
        input: withRows(input, table, rows.with(row, rows[other]).with(other, rows[row])),
        silence: hasShapes(input) ? 'anything' : 'names',
      };
    case 4: {
      const kept = 1 + dice.below(table.columns.length);
      const cut = table.columns.slice(kept);
      return {
        what: `${at} ends after ${kept} fields`,
        input: replaced(rows[row].slice(0, kept)),
        silence: cut.every((name) => silenceOf(input, table, name, '', []) !== 'nothing')
          ? 'anything'
          : 'nothing',
      };
    }
    case 5:
      return {
        what: `${at} has more fields`,
        input: replaced([...rows[row], 'more', '', '"']),
        silence: 'nothing',
      };
    case 6:
      return {
        what: `${at} is repeated with the key of row ${other + 1}`,
        input: withRows(input, table, [
          ...rows,
          withCell(rows[row], keyOf(table), rows[other][keyOf(table)]),
        ]),
        silence: isKeyed ? 'nothing' : 'anything',
      };
    default:
      return {
        what: `${table.name} has no rows`,
        input: withRows(input, table, []),
        silence: 'anything',
      };
  }
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
  const at = `${table.name} column ${name}`;
  const each = (
    change: (fields: readonly Cell[]) => readonly Cell[],
    what: string,
    silence: Silence,
  ): Change => ({
    what: `${at} ${what}`,
    input: withTable(input, table, {
      columns: change(columns) as string[],
      rows: rows.map(change),
    }),
    silence: input.kind === 'pois' ? 'anything' : silence,
  });
  const renamed = (to: string): Change => ({
    what: `${at} is named ${shown(to)}`,
    input: withTable(input, table, { columns: columns.with(column, to) }),
    silence: 'anything',
  });
  const filled = (value: Cell): Change => ({
    what: `${at} is ${shown(value)} in every row`,
    input: withRows(
      input,
      table,
      rows.map((fields) => withCell(fields, column, value)),
    ),
    silence: silenceOf(input, table, name, value, []),
  });
  switch (dice.below(9)) {
    case 0:
      return each(
        (fields) => fields.toSpliced(column, 1),
        'is dropped',
        input.kind === 'blocks' ? 'nothing' : 'anything',
      );
    case 1:
      return each((fields) => [...fields, fields[column]], 'is doubled', 'nothing');
    case 2:
      return each(
        (fields) => withCell(withCell(fields, column, fields[other]), other, fields[column]),
        `and ${columns[other]} change places`,
        'nothing',
      );
    case 3:
      return {
        ...renamed(name.toUpperCase()),
        silence: input.kind === 'pois' ? 'anything' : 'nothing',
      };
    case 4:
      return renamed(String(oddValue(dice, false)));
    case 5:
      return filled('');
    case 6:
      return filled(oddValue(dice, input.kind === 'pois'));
    case 7:
      return {
        what: `${at} has another column of its name, empty`,
        input: withTable(input, table, {
          columns: [...columns, name],
          rows: rows.map((fields) => [...fields, '']),
        }),
        silence: input.kind === 'pois' ? 'anything' : 'nothing',
      };
    default:
      return each(
        (fields) => [String(oddValue(dice, false)).slice(0, 50), ...fields],
        'follows another one',
        'nothing',
      );
  }
}

const isOf = (table: Table, change: (text: string) => string) => (text: string, name: string) =>
  name === table.name ? change(text) : text;

function changeText(input: InputFile, dice: Dice): Change {
  const table = dice.pick(input.tables);
  const { name } = table;
  const to = (what: string, silence: Silence, change: (text: string) => string): Change => ({
    what: `${name}: ${what}`,
    input: { ...input, text: isOf(table, change) },
    silence,
  });
  const place = dice.next();
  const spot = (text: string) => Math.floor(place * text.length);
  const plain = separated(table, ',');
  const isInHeader = spot(plain) <= plain.indexOf('\n');
  const into = (what: string, inserted: string): Change =>
    to(
      `${what} at ${place.toFixed(4)} of the text`,
      // In the header, it is part of the name of another column.
      isInHeader ? 'anything' : 'names',
      (text) => text.slice(0, spot(text)) + inserted + text.slice(spot(text)),
    );
  switch (dice.below(14)) {
    case 0:
      return to('lines end in \\r\\n', 'nothing', (text) => text.replaceAll('\n', '\r\n'));
    case 1:
      return to('lines end in \\r', 'nothing', (text) => text.replaceAll('\n', '\r'));
    case 2:
      return to('lines end in \\n\\n', 'nothing', (text) => text.replaceAll('\n', '\n\n'));
    case 3:
      return to('the last line is open', 'nothing', (text) => text.trimEnd());
    case 4:
      return to('begins with a byte order mark', 'nothing', (text) => `\ufeff${text}`);
    case 5:
      return to('every field is quoted', 'nothing', () => quoted(table, '\n'));
    case 6:
      return to('is separated by semicolons', 'nothing', () => separated(table, ';'));
    case 7:
      return to('is separated by tabs', 'nothing', () => separated(table, '\t'));
    case 8:
      return to('fields have spaces around them', 'nothing', () => separated(table, ' , '));
    case 9:
      return to(`is cut at ${place.toFixed(4)}`, 'anything', (text) => text.slice(0, spot(text)));
    case 10: {
      const row = 1 + dice.below(table.rows.length + 1);
      const field = dice.below(table.columns.length);
      const kind = dice.pick(['"', '""', '" ', 'x"']);
      const side = dice.chance(0.5);
      return to(
        `record ${row} field ${field + 1} ${side ? 'begins' : 'ends'} with ${kind}`,
        // In the header, it is the name of another column.
        row === 1 ? 'anything' : 'names',
        () => withOddQuote(table, row - 1, field, kind, side),
      );
    }
    case 11:
      return into('has a quote', '"');
    case 12:
      return into('has a NUL', '\0');
    default:
      return into('has a line end', dice.pick(['\n', '\r', '\r\n', '\n\n', '\u2028']));
  }
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

function changeBytes(input: InputFile, dice: Dice): Change {
  const table = dice.pick(input.tables);
  const to = (what: string, silence: Silence, change: (bytes: Buffer) => Buffer): Change => ({
    what: `${table.name}: ${what}`,
    input: { ...input, bytes: (bytes, name) => (name === table.name ? change(bytes) : bytes) },
    silence,
  });
  const place = dice.next();
  switch (dice.below(8)) {
    case 0:
      return to('is in ISO-8859-1', 'nothing', (bytes) => Buffer.from(bytes.toString(), 'latin1'));
    case 1:
      return to('is in UTF-16', 'nothing', (bytes) => Buffer.from(`\ufeff${bytes}`, 'utf16le'));
    case 2:
      return to('is in UTF-16 without a mark', 'nothing', (bytes) =>
        Buffer.from(String(bytes), 'utf16le'),
      );
    case 3:
      return to('is empty', 'anything', () => Buffer.alloc(0));
    case 4:
      return to('has NULs after it', 'nothing', (bytes) =>
        Buffer.concat([bytes, Buffer.alloc(100)]),
      );
    case 5:
      return to('is a web page', 'anything', () =>
        Buffer.from('<!DOCTYPE html><html>Not Found</html>'),
      );
    case 6: {
      const bit = dice.below(8);
      return to(`bit ${bit} at ${place.toFixed(4)} is flipped`, 'anything', (bytes) => {
        const flipped = Buffer.from(bytes);
        flipped[Math.floor(place * bytes.length)] ^= 1 << bit;
        return flipped;
      });
    }
    default: {
      const byte = dice.pick([0xff, 0xc3, 0x80, 0xed, 0x00]);
      return to(`has byte ${byte} at ${place.toFixed(4)}`, 'anything', (bytes) => {
        const at = Math.floor(place * bytes.length);
        return Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at)]);
      });
    }
  }
}

function changeArchive(input: InputFile, dice: Dice): Change {
  const table = dice.pick(input.tables);
  const to = (
    what: string,
    silence: Silence,
    change: (entries: readonly Entry[]) => Entry[],
  ): Change => ({
    what,
    input: { ...input, entries: change },
    silence,
  });
  if (!isArchive(input)) return changeFile(input, dice);
  const isTable = ({ name }: Entry) => name === table.name;
  const named = (change: (name: string) => string) => (entries: readonly Entry[]) =>
    entries.map(({ name, bytes }) => ({ name: change(name), bytes }));
  const some = (bytes: string) => ({ bytes: Buffer.from(bytes) });
  switch (dice.below(13)) {
    case 0:
      return to(
        'entries are in capitals',
        'nothing',
        named((name) => name.toUpperCase()),
      );
    case 1:
      return to(
        `${table.name} is in capitals`,
        'nothing',
        named((name) => (name === table.name ? name.toUpperCase() : name)),
      );
    case 2:
      return to(
        'entries are in a folder',
        'nothing',
        named((name) => `a folder/${name}`),
      );
    case 3:
      return to(
        `${table.name} is in a folder`,
        'nothing',
        named((name) => (name === table.name ? `x/${name}` : name)),
      );
    case 4:
      return to(`${table.name} is there twice`, 'nothing', (all) => [
        ...all,
        ...all.filter(isTable),
      ]);
    case 5:
      return to(`${table.name} is there also in a folder`, 'nothing', (all) => [
        ...all,
        ...all.filter(isTable).map(({ name, bytes }) => ({ name: `old/${name}`, bytes })),
      ]);
    case 6:
      return to('has the entries of a Mac', 'nothing', (all) => [
        ...all,
        ...all.map(({ name }) => ({ name: `__MACOSX/._${name}`, ...some('\0\x05\x16\x07') })),
      ]);
    case 7:
      return to('has other files', 'nothing', (all) => [
        { name: '.DS_Store', ...some('x') },
        { name: 'readme.md', ...some('x') },
        { name: 'shapes.txt', ...some('\0\xff"') },
        { name: 'vehicles.txt', ...some('') },
        ...all,
      ]);
    case 8:
      return to(
        'paths have backslashes',
        'nothing',
        named((name) => `feed\\${name}`),
      );
    case 9:
      return to('a name leaves the archive', 'nothing', (all) => [
        ...all,
        { name: '../../evil.txt', ...some('x') },
      ]);
    case 10:
      return to(
        `${table.name} is a folder`,
        'anything',
        named((name) => (name === table.name ? `${name}/` : name)),
      );
    case 11:
      return to('is empty', 'anything', () => []);
    default:
      return to(`${table.name} is absent`, 'anything', (all) =>
        all.filter((entry) => !isTable(entry)),
      );
  }
}

function changeFile(input: InputFile, dice: Dice): Change {
  const to = (what: string, silence: Silence, file: (bytes: Buffer) => Buffer): Change => ({
    what,
    input: { ...input, file },
    silence,
  });
  const place = dice.next();
  switch (dice.below(9)) {
    case 0:
      return { what: 'is absent', input: null, silence: 'anything' };
    case 1:
      return to(`is cut at ${place.toFixed(4)}`, 'nothing', (bytes) =>
        bytes.subarray(0, place * bytes.length),
      );
    case 2:
      return to('is empty', 'nothing', () => Buffer.alloc(0));
    case 3:
      return to('has a web page after it', 'nothing', (bytes) =>
        Buffer.concat([bytes, Buffer.from('<html></html>'.repeat(50))]),
      );
    case 4:
      return to('has bytes before it', 'nothing', (bytes) =>
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), bytes]),
      );
    case 5:
      return to('is a web page', 'nothing', () =>
        Buffer.from('<!DOCTYPE html><html>Not Found</html>'),
      );
    case 6:
      return to('has NULs after it', 'nothing', (bytes) =>
        Buffer.concat([bytes, Buffer.alloc(2_000)]),
      );
    case 7:
      return to('is there twice in a row', 'nothing', (bytes) => Buffer.concat([bytes, bytes]));
    default: {
      const bit = dice.below(8);
      return to(
        `bit ${bit} at ${place.toFixed(4)} of the file is flipped`,
        isArchive(input) ? 'nothing' : 'anything',
        (bytes) => {
          const flipped = Buffer.from(bytes);
          flipped[Math.floor(place * bytes.length)] ^= 1 << bit;
          return flipped;
        },
      );
    }
  }
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
