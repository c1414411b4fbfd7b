import type { FastifyBaseLogger, FastifyServerOptions } from 'fastify';
import { destination } from 'pino';

/**
 * What must not get into a log, wherever it comes from: API keys, credentials, secrets of the
 * payment processor, mail addresses, query strings.
 */
const PRIVATE: readonly (readonly [found: RegExp, shown: string])[] = [
  [/\bta_live_\w+/g, 'ta_live_…'],
  [/\bBearer\s+[^\s"\\]+/gi, 'Bearer …'],
  [/\b(?:sk|rk|pk|whsec)_\w{8,}/g, 'secret_…'],
  [/(:\/\/)[^\s"/@]*:[^\s"/@]*@/g, '$1…@'],
  [/[^\s"'<>()[\]{},;:\\/]+@[^\s"'<>()[\]{},;:\\/]+\.[^\s"'<>()[\]{},;:\\/]+/g, '…@…'],
  [/\?[^\s"?=\\]*=[^\s"\\]*/g, '?…'],
];

/** A text without what must not be in a log. */
export function withoutSecrets(text: string): string {
  return PRIVATE.reduce((rest, [found, shown]) => rest.replace(found, shown), text);
}

/** Lines that nobody has taken yet; more are left out. */
const MOST_WAITING_BYTES = 4 * 2 ** 20;

/**
 * The log of a server: a line of JSON an entry, on standard output. Each passes `withoutSecrets`.
 * None waits for whoever reads them: a reader that stands still loses lines, and holds no request.
 */
export function serverLog(level: string): FastifyServerOptions['logger'] {
  if (level === 'silent') return { level };
  const stream = destination({ dest: 1, sync: false, maxLength: MOST_WAITING_BYTES });
  return { level, stream, hooks: { streamWrite: withoutSecrets } };
}

const QUIET_MS = 1_000;

/**
 * Faults that come by the thousand when a backend is away: one a second of each kind is written, with
 * how many were not since. A log that is written as fast as requests fail would be the next fault.
 */
export class FaultLog {
  readonly #kinds = new Map<string, { nextMs: number; omitted: number }>();

  write(log: FastifyBaseLogger, entry: object, kind: string): void {
    const nowMs = performance.now();
    const last = this.#kinds.get(kind);
    if (last !== undefined && nowMs < last.nextMs) {
      last.omitted++;
      return;
    }
    const omitted = last?.omitted ?? 0;
    log.error(omitted > 0 ? { ...entry, omitted } : entry, kind);
    this.#kinds.set(kind, { nextMs: nowMs + QUIET_MS, omitted: 0 });
  }
}
