/** Uses a store, a queue or an executor, and closes it afterwards. */
export async function whileOpen<S extends { close(): Promise<void> }, T>(
  opening: S | Promise<S>,
  use: (opened: S) => Promise<T>,
): Promise<T> {
  const opened = await opening;
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}
