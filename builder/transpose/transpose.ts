import { Matrix } from '../../shards/matrix/matrix.ts';
import { encodeRow, type ModeRow, type TimeUnit } from '../../shards/matrix/row-codec.ts';
import type { ObjectRef, Store } from '../../shards/store/store.ts';
import type { Bytes } from '../../shards/units.ts';
import { VarintWriter } from '../../shards/varint.ts';
import { BYTES_AN_ENTRY, EntryBuffer } from './entry-buffer.ts';
import { Run, RunReader } from './run.ts';

/** What to turn around. */
export interface TransposeRequest {
  /** Matrices whose origins ascend from each to the next. */
  readonly sources: readonly ObjectRef[];
  /** Ids of the targets that are wanted, in the order their rows are. */
  readonly targets: Float64Array;
  readonly modes: number;
  readonly unit: TimeUnit;
  /** What the entries on their way may take. */
  readonly memory: Bytes;
  /** A folder to write in. */
  readonly scratch: string;
}

/** A target's row, by its place in the request's `targets`: who reaches it, by mode. */
export interface TransposedRow {
  readonly target: number;
  /** `targets` here are the origins' places in the list of all of them, ascending. */
  readonly modes: readonly ModeRow[];
}

/**
 * Turns matrices around: for each target, which origins reach it and in what time. An external
 * sort: entries are gathered until memory is full, sorted by target, and written as a run of rows
 * as compact as a matrix's own; then all runs are read side by side, once. Yields the targets that
 * anything reaches, in the order of the request; origins are counted through all sources.
 */
export async function* transpose(
  store: Store,
  request: TransposeRequest,
  onOrigins: (done: number) => void,
): AsyncGenerator<TransposedRow> {
  const runs: Run[] = [];
  try {
    const origins = await writeRuns(store, request, runs, onOrigins);
    yield* mergeRuns(runs, origins, request);
  } finally {
    for (const run of runs) run.close();
  }
}

/** Writes the runs, and returns how many origins there are. */
async function writeRuns(
  store: Store,
  { sources, targets, modes, unit, memory, scratch }: TransposeRequest,
  runs: Run[],
  onOrigins: (done: number) => void,
): Promise<number> {
  const byId = Uint32Array.from(targets.keys()).sort((a, b) => targets[a] - targets[b]);
  const buffer = new EntryBuffer(Math.max(1 << 16, Math.floor(memory / BYTES_AN_ENTRY)));
  const flush = () => {
    runs.push(writeRun(`${scratch}/run-${runs.length}`, buffer, targets.length, modes, unit));
    buffer.count = 0;
  };
  let firstOrigin = 0;
  for (const source of sources) {
    const matrix = await Matrix.open(store, source);
    const wanted = placesIn(matrix.targets, targets, byId);
    for await (const { ordinal, modes: rows } of matrix.rows(store)) {
      rows.forEach((row, mode) => {
        for (let i = 0; i < row.targets.length; i++) {
          const target = wanted[row.targets[i]];
          if (target < 0) continue;
          if (buffer.count === buffer.capacity) flush();
          buffer.add(target, mode, firstOrigin + ordinal, row.times[i]);
        }
      });
      onOrigins(firstOrigin + ordinal + 1);
    }
    firstOrigin += matrix.origins.length;
  }
  if (buffer.count > 0) flush();
  return firstOrigin;
}

/** Of each of some ascending ids its place in a list, whose order by id is given, or -1. */
function placesIn(ids: Float64Array, list: Float64Array, byId: Uint32Array): Int32Array {
  const places = new Int32Array(ids.length).fill(-1);
  for (let i = 0, at = 0; i < ids.length && at < byId.length; i++) {
    while (at < byId.length && list[byId[at]] < ids[i]) at++;
    if (at < byId.length && list[byId[at]] === ids[i]) places[i] = byId[at];
  }
  return places;
}

function writeRun(
  file: string,
  buffer: EntryBuffer,
  targets: number,
  modes: number,
  unit: TimeUnit,
): Run {
  const { first, origins, times } = buffer.sortedByTarget(targets, modes);
  const run = new Run(file, modes, unit);
  const row = new VarintWriter(1 << 16);
  for (let target = 0; target < targets; target++) {
    if (first[target * modes] === first[(target + 1) * modes]) continue;
    const rows = Array.from({ length: modes }, (_, mode): ModeRow => {
      const [start, end] = [first[target * modes + mode], first[target * modes + mode + 1]];
      return { targets: origins.subarray(start, end), times: times.subarray(start, end) };
    });
    row.reset();
    encodeRow(row, target, rows, unit);
    run.add(target, row.view());
  }
  return run;
}

async function* mergeRuns(
  runs: readonly Run[],
  origins: number,
  { modes }: TransposeRequest,
): AsyncGenerator<TransposedRow> {
  const readers = runs.map((run) => new RunReader(run, origins));
  for (const reader of readers) await reader.advance();
  for (;;) {
    const target = Math.min(...readers.map((reader) => reader.target));
    if (target === Number.POSITIVE_INFINITY) return;
    const pieces: ModeRow[][] = [];
    for (const reader of readers) {
      if (reader.target !== target) continue;
      pieces.push(reader.row());
      await reader.advance();
    }
    // Runs were written in the order of the origins: one follows on the other.
    const rows = Array.from({ length: modes }, (_, mode) => joinRows(pieces.map((p) => p[mode])));
    yield { target, modes: rows };
  }
}

function joinRows(parts: readonly ModeRow[]): ModeRow {
  if (parts.length === 1) return parts[0];
  const count = parts.reduce((sum, part) => sum + part.targets.length, 0);
  const row = { targets: new Uint32Array(count), times: new Uint16Array(count) };
  let at = 0;
  for (const part of parts) {
    row.targets.set(part.targets, at);
    row.times.set(part.times, at);
    at += part.targets.length;
  }
  return row;
}
