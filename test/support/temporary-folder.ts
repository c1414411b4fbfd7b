import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/**
 * A folder shared by the tests of a file, or of the enclosing `describe`, and removed after the
 * last test.
 */
export function folderOfTests(): string {
  const { folder, make, remove } = temporary();
  beforeAll(make);
  afterAll(remove);
  return folder;
}

/** A folder that is empty at the start of each test. */
export function folderOfEachTest(): string {
  const { folder, make, remove } = temporary();
  beforeEach(make);
  afterEach(remove);
  return folder;
}

/** A folder of the calling test, until it ends. */
export async function folderOfThisTest(): Promise<string> {
  const { folder, make, remove } = temporary();
  onTestFinished(remove);
  await make();
  return folder;
}

function temporary() {
  const folder = path.join(tmpdir(), `tta-test-${randomUUID()}`);
  return {
    folder,
    make: async () => void (await mkdir(folder)),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
