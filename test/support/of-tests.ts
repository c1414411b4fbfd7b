import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest';

/** What tests open has one of these. */
type Opened = { close(): unknown } | { stop(): unknown };

/** What the tests of a file, or of the `describe` around, share: there from the first to the last. */
export function ofTests<T extends Opened>(open: () => T | Promise<T>): T {
  return standIn(open, beforeAll, afterAll);
}

/** What each test has one of for itself. */
export function ofEachTest<T extends Opened>(open: () => T | Promise<T>): T {
  return standIn(open, beforeEach, afterEach);
}

/** What the test that asks for it has, until it has ended. */
export async function ofThisTest<T extends Opened>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  onTestFinished(() => end(opened));
  return opened;
}

type Hook = (work: () => Promise<void>) => void;

/** Stands for what is not open yet where a file names it. */
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
