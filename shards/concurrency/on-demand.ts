/**
 * Makes a value when it is first needed, and keeps it. A failure is not kept: the next call makes
 * it anew.
 */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
