import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** A folder that the tests of a file, or of the `describe` around, share: gone after the last. */
export function folderOfTests(): string {
  const { folder, make, remove } = temporary();
  beforeAll(make);
  afterAll(remove);
  return folder;
}

/** A folder that each test finds empty. */
export function folderOfEachTest(): string {
  const { folder, make, remove } = temporary();
  beforeEach(make);
  afterEach(remove);
  return folder;
}

/** A folder of the test that asks for it, until it has ended. */
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
