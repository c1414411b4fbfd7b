import { afterEach, expect, test, vi } from 'vitest';
import { ArchiveSource } from '../../portal/pages/map/tiles/archive-source.ts';

const CHUNK = 65_536;
const KEPT = 256;

afterEach(() => vi.unstubAllGlobals());

test('a failed read is repeated, and a late failure does not remove a chunk that was read again', async () => {
  const requests: { range: string; settle: (response: Response | null) => void }[] = [];
  vi.stubGlobal('fetch', (_url: string, { headers }: { headers: { range: string } }) => {
    return new Promise<Response>((resolve, reject) => {
      const settle = (response: Response | null) =>
        response ? resolve(response) : reject(new Error('lost'));
      requests.push({ range: headers.range, settle });
    });
  });
  const source = new ArchiveSource('https://tiles.example.org/a.pmtiles');
  const chunk = () => new Response(new Uint8Array(CHUNK), { status: 206 });

  const first = source.getBytes(0, 10);
  const firstFailure = expect(first).rejects.toThrow('lost');
  // The chunk that is being read makes room for others, and is requested again.
  const others = Array.from({ length: KEPT }, (_, i) => source.getBytes((i + 1) * CHUNK, 10));
  const again = source.getBytes(0, 10);
  expect(requests.filter(({ range }) => range.startsWith('bytes=0-'))).toHaveLength(2);
  for (const { settle } of requests.slice(1)) settle(chunk());
  await Promise.all([...others, again]);
  requests[0].settle(null);
  await firstFailure;
  await source.getBytes(0, 10);
  expect(requests).toHaveLength(KEPT + 2);

  const failing = source.getBytes((KEPT + 1) * CHUNK, 10);
  requests.at(-1)!.settle(null);
  await expect(failing).rejects.toThrow('lost');
  const repeated = source.getBytes((KEPT + 1) * CHUNK, 10);
  requests.at(-1)!.settle(chunk());
  expect((await repeated).data.byteLength).toBe(10);
  expect(requests).toHaveLength(KEPT + 4);
});
