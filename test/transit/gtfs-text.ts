import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { FeedSource } from '../../builder/gtfs/feed-source.ts';

export type Cell = string | number;
/** A record by its column names. A column that a record lacks is empty there. */
export type FeedRecord = Readonly<Record<string, Cell>>;
/** A feed: the records of each file, by file name. A file without records has no columns either. */
export type FeedTables = Readonly<Record<string, readonly FeedRecord[]>>;

export interface TextStyle {
  /** Begins every file with the byte order mark, as spreadsheet programs do. */
  readonly bom?: boolean;
  /** Quotes every field, not only those that need it. */
  readonly quoteAll?: boolean;
  readonly lineEnd?: '\n' | '\r\n';
  /** Ends the last record without a line end. */
  readonly openEnd?: boolean;
  /** Zips the files inside a folder, as some agencies do. */
  readonly inFolder?: string;
}

/**
 * Writes a feed as a zip archive if `file` ends in `.zip`, otherwise as a folder. Returns `file`.
 */
export async function writeFeed(
  file: string,
  tables: FeedTables,
  style: TextStyle = {},
): Promise<string> {
  if (file.endsWith('.zip')) {
    await writeFile(file, await zippedFeed(tables, style));
    return file;
  }
  await mkdir(file, { recursive: true });
  for (const [name, records] of Object.entries(tables)) {
    await writeFile(path.join(file, name), csv(records, style));
  }
  return file;
}

/** A feed as a zip archive. */
export function zippedFeed(tables: FeedTables, style: TextStyle = {}): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, records] of Object.entries(tables)) {
    const text = Buffer.from(csv(records, style));
    zip.addBuffer(text, style.inFolder ? `${style.inFolder}/${name}` : name);
  }
  zip.end();
  return buffer(zip.outputStream);
}

/** A feed in memory. */
export function feedSource(tables: FeedTables): FeedSource {
  return {
    path: 'feed',
    has: (file) => file in tables,
    stream: async (file) => Readable.from([Buffer.from(csv(tables[file]))], { objectMode: false }),
    close: () => {},
  };
}

/** Records as comma-separated text with a header, in the order that columns first occur. */
export function csv(records: readonly FeedRecord[], style: TextStyle = {}): string {
  const lineEnd = style.lineEnd ?? '\n';
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const field = (value: Cell | undefined) => {
    const text = String(value ?? '');
    const needsQuotes = style.quoteAll || /[",\r\n]|^ | $/.test(text);
    return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map(field), ...records.map((r) => columns.map((c) => field(r[c])))];
  const text = lines.map((line) => line.join(',')).join(lineEnd);
  return `${style.bom ? '\uFEFF' : ''}${text}${style.openEnd ? '' : lineEnd}`;
}

/** Seconds after the start of a service day in GTFS notation: `25:10:00` is past midnight. */
export function gtfsTime(seconds: number): string {
  const part = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${part(seconds / 3600)}:${part((seconds / 60) % 60)}:${part(seconds % 60)}`;
}
