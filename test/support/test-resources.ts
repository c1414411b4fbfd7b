import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** A resource that tests open and close. */
type Opened = { close(): unknown } | { stop(): unknown };

/**
 * A resource shared by the tests of a file, or of the enclosing `describe`, for their whole run.
 */
export function ofTests<T extends Opened>(open: () => T | Promise<T>): T {
  return standIn(open, beforeAll, afterAll);
}

/** A resource that each test has to itself. */
export function ofEachTest<T extends Opened>(open: () => T | Promise<T>): T {
  return standIn(open, beforeEach, afterEach);
}

/** A resource of the calling test, until it ends. */
export async function ofThisTest<T extends Opened>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  onTestFinished(() => end(opened));
  return opened;
}

type Hook = (work: () => Promise<void>) => void;

/** A placeholder for a resource that is not open yet where a file refers to it. */
function standIn<T extends Opened>(open: () => T | Promise<T>, before: Hook, after: Hook): T {
  let opened: T | undefined;
  before(async () => {
    opened = await open();
  });
  after(async () => {
    if (opened) await end(opened);
    opened = undefined;
  });
  return new Proxy({} as T, {
    get(_, name) {
      const value = Reflect.get(opened!, name);
      return typeof value === 'function' ? value.bind(opened) : value;
    },
    set: (_, name, value) => Reflect.set(opened!, name, value),
  });
}

async function end(opened: Opened): Promise<void> {
  await ('close' in opened ? opened.close() : opened.stop());
}
