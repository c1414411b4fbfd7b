import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** Creates folders that are removed at the end of the test file. */
export function scratchFolders(): () => string {
  const root = mkdtempSync(path.join(tmpdir(), 'tta-fetch-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(path.join(root, 'x'));
}
