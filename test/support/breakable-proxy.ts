import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a local port that breaks on demand. */
export interface BreakableProxy {
  readonly port: number;
  /** Lets the next request arrive, swallows the response, and breaks the connection. */
  cutAfterNext(): Promise<void>;
  /**
   * Holds the next request, or the next that contains a word, and breaks the connection. The
   * function that the promise resolves with delivers the held bytes after all, and resolves once
   * they have been answered.
   */
  cutBeforeNext(word?: string): Promise<() => Promise<void>>;
  /** Stops traffic in both directions from now on; data in flight is lost with `close`. */
  freeze(): void;
  close(): Promise<void>;
}

export async function openBreakableProxy(to: number): Promise<BreakableProxy> {
  let swallow: (() => void) | undefined;
  let hold: ((releaseReads: () => Promise<void>) => void) | undefined;
  let heldWord = '';
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    let isHeld = false;
    for (const socket of [near, far]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    near.on('close', () => !isHeld && far.destroy());
    far.on('close', () => near.destroy());
    near.on('data', (asked) => {
      if (!hold || !asked.includes(heldWord)) return void far.write(asked);
      isHeld = true;
      hold(async () => {
        far.write(asked);
        await once(far, 'data');
        far.destroy();
      });
      hold = undefined;
      near.destroy();
    });
    far.on('data', (response) => {
      if (!swallow) return void near.write(response);
      swallow();
      swallow = undefined;
      near.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cutAfterNext: () =>
      new Promise((resolve) => {
        swallow = resolve;
      }),
    cutBeforeNext: (word = '') =>
      new Promise((resolve) => {
        heldWord = word;
        hold = resolve;
      }),
    freeze() {
      for (const socket of sockets) socket.pause();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
