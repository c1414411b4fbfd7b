import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';

/** Gives folders of their own, removed when the test file is done. */
export function scratchFolders(): () => string {
  const root = mkdtempSync(path.join(tmpdir(), 'tta-fetch-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(path.join(root, 'x'));
}
