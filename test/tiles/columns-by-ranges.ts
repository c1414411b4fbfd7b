import { inflateRawSync } from 'node:zlib';
import { expect } from 'vitest';
import type { proxyOfTests } from '../support/proxy-harness.ts';

/**
 * Reads a public file of columns over HTTP by ranges, as its documentation describes it. `blocksOf`
 * returns the number of blocks, given the head.
 */
export async function columnsByRanges(
  proxy: ReturnType<typeof proxyOfTests>,
  url: string,
  magic: string,
  blocksOf: (head: ReturnType<typeof JSON.parse>) => number,
) {
  const range = async (start: number, length: number): Promise<Buffer> => {
    const headers = { range: `bytes=${start}-${start + length - 1}` };
    const part = await proxy.get(new URL(url).pathname, undefined, headers);
    expect([part.statusCode, part.rawPayload.length]).toEqual([206, length]);
    return part.rawPayload;
  };
  const start = await range(0, 12);
  expect(start.toString('latin1', 0, 8)).toBe(magic);
  const headBytes = start.readUInt32LE(8);
  const head = JSON.parse(inflateRawSync(await range(12, headBytes)).toString());
  let end = 12 + headBytes;
  const columns: number[][] = [];
  for (const length of head.column_bytes) {
    const steps = inflateRawSync(await range(end, length));
    end += length;
    let before = 0;
    columns.push(
      Array.from({ length: blocksOf(head) }, (_, block) => {
        before = (before + Math.floor(steps[Math.floor(block / 2)] / (block % 2 ? 16 : 1))) % 8;
        return before;
      }),
    );
  }
  return { head, columns, end };
}
