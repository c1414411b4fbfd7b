import type { FastifyInstance } from 'fastify';

/** A server that closes waits as long as this for work that has begun. */
const LAST_MS = 5_000;

/** Work that goes on when its request has been answered. */
export class AfterAnswer {
  readonly #running = new Set<Promise<void>>();
  readonly #app: FastifyInstance;

  constructor(app: FastifyInstance) {
    this.#app = app;
    app.addHook('onClose', async () => {
      const late = new Promise((resolve) => setTimeout(resolve, LAST_MS).unref());
      await Promise.race([Promise.all(this.#running), late]);
    });
  }

  /** Does it once the event loop has sent what there is to send. A failure is logged. */
  begin(what: string, work: () => Promise<void>): void {
    const running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error: unknown) => this.#app.log.error({ err: error }, `${what} failed`))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
