import type { Readable } from 'node:stream';
import { CsvReader, type CsvRecord } from '../../shards/csv/csv-reader.ts';
import { messageOf } from '../../shards/error-facts.ts';
import { BuildError } from '../errors.ts';
import { bytesOfText, decodePieces } from './text.ts';

/** Limits that no real table exceeds. */
interface CsvLimits {
  /** Maximum number of lines, including the header and empty ones. */
  readonly lines: number;
  /** Maximum characters of a record. */
  readonly recordLength: number;
}

const [NUL, LINE_FEED, CARRIAGE_RETURN] = [0x00, 0x0a, 0x0d];
const NOTHING = Buffer.alloc(0);

export type TextChange =
  | 'text that is not UTF-8; read as Windows-1252'
  | 'NUL characters; passed over';

/**
 * Reads the records of a CSV stream, in the encoding that its bytes show (`text.ts`), as batches.
 * Quoted fields may contain line breaks and commas; any line ending and short rows are accepted. A
 * row that cannot be read for certain is a fault. Each line whose text is not read as it stands is
 * passed to `onChange`, with what was changed. Throws a `BuildError` that names the table if it is
 * unreadable, exceeds the limits, or has a fault in its header.
 */
export async function* csvRecords(
  stream: Readable,
  table: string,
  limits: CsvLimits,
  onChange: (line: number, change: TextChange) => void,
): AsyncGenerator<readonly CsvRecord[]> {
  const reader = new CsvReader(',', limits.recordLength);
  const tooLong = () =>
    new BuildError(
      `${table}: line ${reader.nextLine} is longer than ${limits.recordLength} characters; correct it, or download it again`,
    );
  let hasHeader = false;
  const read = (bytes: Buffer, isLast: boolean): CsvRecord[] => {
    const { text, guessedAt } = decodePieces(bytes);
    const note = (positions: readonly number[], change: TextChange) => {
      for (const line of linesOf(bytes, positions, reader.nextLine)) onChange(line, change);
    };
    if (guessedAt.length > 0) note(guessedAt, 'text that is not UTF-8; read as Windows-1252');
    const nulls = positionsOf(NUL, bytes);
    if (nulls.length > 0) note(nulls, 'NUL characters; passed over');
    const clean = nulls.length > 0 ? text.replaceAll('\0', '') : text;
    const records = [...reader.read(clean, isLast)];
    const [first] = records;
    if (!hasHeader && first !== undefined) {
      hasHeader = true;
      if ('fault' in first) {
        throw new BuildError(
          `${table}: its header, line ${first.line}, has ${first.fault}; correct it, with commas between its cells`,
        );
      }
    }
    if (reader.nextLine > limits.lines + 1) {
      throw new BuildError(
        `${table}: has more than ${limits.lines} records, more than any real one; download it again, or split it`,
      );
    }
    if (reader.pendingLength > limits.recordLength) throw tooLong();
    return records;
  };
  let held: Buffer = NOTHING;
  try {
    for await (const chunk of bytesOfText(table, stream)) {
      const bytes: Buffer = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      // A chunk may end inside a character, or a field, which is decoded as a whole.
      const end = endOfLines(bytes);
      held = bytes.subarray(end);
      if (held.length > limits.recordLength * MAX_CHARACTER_BYTES) throw tooLong();
      if (end > 0) yield read(bytes.subarray(0, end), false);
    }
    yield read(held, true);
  } catch (error) {
    if (error instanceof BuildError) throw error;
    throw new BuildError(`${table} cannot be read (${messageOf(error)}); download it again`);
  }
}

const MAX_CHARACTER_BYTES = 4;

/** Index after the last line end in a chunk, or 0. */
function endOfLines(bytes: Buffer): number {
  return bytes.lastIndexOf(LINE_FEED) + 1 || bytes.lastIndexOf(CARRIAGE_RETURN) + 1;
}

function positionsOf(byte: number, bytes: Buffer): number[] {
  const positions: number[] = [];
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) {
    positions.push(at);
  }
  return positions;
}

/** The lines of these bytes, ascending and each once, in text that begins on line `first`. */
function linesOf(bytes: Buffer, positions: readonly number[], first: number): number[] {
  const lineEnd = bytes.includes(LINE_FEED) ? LINE_FEED : CARRIAGE_RETURN;
  const lines = new Set<number>();
  let line = first;
  let end = bytes.indexOf(lineEnd);
  for (const at of positions) {
    for (; end !== -1 && end < at; end = bytes.indexOf(lineEnd, end + 1)) line++;
    lines.add(line);
  }
  return [...lines];
}
