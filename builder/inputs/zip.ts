import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { BuildError } from '../errors.ts';

/** A zip archive that somebody gave as an input: its entries by name, each as a stream. */
export class ZipInput {
  readonly path: string;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(path: string, zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.path = path;
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(path: string): Promise<ZipInput> {
    let zip: ZipFile | undefined;
    try {
      zip = await openPromise(path, { lazyEntries: true, autoClose: false });
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      return new ZipInput(path, zip, entries);
    } catch (error) {
      zip?.close();
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        throw new BuildError(`${path}: no such file`);
      }
      throw new BuildError(
        `${path}: not a whole zip archive (${messageOf(error)}); fetch it again`,
      );
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** The uncompressed bytes of an entry. A damaged one fails the stream, naming archive and entry. */
  async stream(name: string): Promise<Readable> {
    const entry = this.#entries.get(name);
    if (!entry) throw new BuildError(`${this.path}: has no ${name}`);
    try {
      return await this.#zip.openReadStreamPromise(entry);
    } catch (error) {
      throw new BuildError(
        `${this.path}: ${name} is damaged (${messageOf(error)}); fetch it again`,
      );
    }
  }

  close(): void {
    this.#zip.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
