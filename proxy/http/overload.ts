import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ClientId, FairQueue } from '../../shards/concurrency/fair-queue.ts';
import { Slice } from '../../shards/concurrency/turns.ts';
import type { Millis } from '../../shards/units.ts';
import { isWellFormedApiKey } from '../ledger/api-key.ts';
import { bearerToken } from './bearer-token.ts';
import { Problem } from './problem.ts';
import { rateSubject } from './rate-limiting.ts';

/**
 * Schedules the start of requests: as many per turn of the event loop as time allows. The others
 * wait and start round-robin by client. Otherwise, a turn would last longer the more connections
 * are busy, and since each response takes several turns, one client with many connections would
 * delay all others.
 */
export class RequestScheduler {
  #waiting = new FairQueue<() => void>();
  #count = 0;
  readonly #slice = new Slice();

  /** Calls `begin`, now or in a later turn; the client id is only computed in the latter case. */
  pass(clientIdOf: () => ClientId, begin: () => void): void {
    if (this.#count === 0 && this.#slice.hasTime()) {
      begin();
      return;
    }
    this.#waiting.push(clientIdOf(), begin);
    this.#count++;
    setImmediate(this.#next);
  }

  /**
   * Starts one waiting request: its synchronous part, including promise continuations, completes
   * before the next one starts.
   */
  readonly #next = (): void => {
    if (!this.#slice.hasTime()) {
      setImmediate(this.#next);
      return;
    }
    const begin = this.#waiting.shift()!;
    // Resets the fairness state when the queue drains.
    if (--this.#count === 0) this.#waiting = new FairQueue();
    begin();
  };
}

export function scheduleRequests(app: FastifyInstance): void {
  const scheduler = new RequestScheduler();
  app.addHook('onRequest', (request, reply, done) => {
    const begin = () => {
      // A client that disconnected while queued uses neither the loop nor its rate.
      if (request.raw.socket.destroyed) reply.hijack();
      else done();
    };
    scheduler.pass(() => rateSubject(request.ip), begin);
  });
}

const SAMPLE_MS: Millis = 100;
/** Number of samples: one late turn is a long task; several in a row mean overload. */
const SAMPLES = 4;
/** Multiple of the threshold above which even some first requests of clients are refused. */
const FAR = 4;
const MAX_RETRY_SECONDS = 4;

/** Returns the problem under overload. `Retry-After` is randomized to spread the retries. */
export function overloaded(): Problem {
  const seconds = 1 + Math.floor(Math.random() * MAX_RETRY_SECONDS);
  const detail =
    'the service is receiving more requests than it can answer in time; nothing was charged';
  return new Problem('overloaded', detail, {}, { 'retry-after': String(seconds) });
}

/** Maximum number of clients with a request in progress from one address while load is shed. */
const CLIENTS_PER_ADDRESS = 8;

/** The sender of a request, as far as it can be told apart before authentication. */
interface Client {
  readonly id: string;
  readonly address: string;
}

/**
 * Measures the lag of the event loop: the minimum of several turns. Above the threshold, a client
 * with a request in progress gets no second one; far above it, every other new request is refused
 * too. A heavy client therefore does not shut out a light one.
 */
export class LoadShedder {
  readonly #lateMs: Millis;
  readonly #onChange: (isShedding: boolean) => void;
  readonly #samples = new Array<Millis>(SAMPLES).fill(0);
  readonly #timer: NodeJS.Timeout;
  /** Clients with a request in progress that arrived while shedding, by address. */
  readonly #underWay = new Map<string, Set<string>>();
  #taken = 0;
  #newcomers = 0;
  #dueMs: Millis;
  lagMs: Millis = 0;
  shed = 0;

  /** `lateMs`: the lag above which requests are shed. */
  constructor(lateMs: Millis, onChange: (isShedding: boolean) => void = () => {}) {
    this.#lateMs = lateMs;
    this.#onChange = onChange;
    this.#dueMs = performance.now() + SAMPLE_MS;
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      this.sample(nowMs - this.#dueMs);
      this.#dueMs = nowMs + SAMPLE_MS;
    }, SAMPLE_MS).unref();
  }

  get isShedding(): boolean {
    return this.lagMs > this.#lateMs;
  }

  sample(lateMs: Millis): void {
    const before = this.isShedding;
    this.#samples[this.#taken++ % SAMPLES] = lateMs;
    this.lagMs = Math.min(...this.#samples);
    if (before === this.isShedding) return;
    this.#underWay.clear();
    this.#onChange(this.isShedding);
  }

  /** Whether a request may start; call `leave` when it has ended. */
  take({ id, address }: Client): boolean {
    const clients = this.#underWay.get(address) ?? new Set();
    const isTooLate = this.lagMs > FAR * this.#lateMs && this.#newcomers++ % 2 === 0;
    if (clients.has(id) || clients.size === CLIENTS_PER_ADDRESS || isTooLate) {
      this.shed++;
      return false;
    }
    this.#underWay.set(address, clients.add(id));
    return true;
  }

  leave({ id, address }: Client): void {
    const clients = this.#underWay.get(address);
    clients?.delete(id);
    if (clients?.size === 0) this.#underWay.delete(address);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/**
 * Refuses requests while the loop is late, before any work is done for them, except probes and
 * signed requests.
 */
export function shedLoad(app: FastifyInstance, lateMs: Millis): LoadShedder {
  const shedder = new LoadShedder(lateMs, (isShedding) => {
    const { lagMs, shed } = shedder;
    app.log.warn(
      { lagMs: Math.round(lagMs), shed },
      `load shedding ${isShedding ? 'began' : 'ended'}`,
    );
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (!shedder.isShedding) return done();
    const { probe, signed } = request.routeOptions.config;
    if (probe || signed || request.method === 'OPTIONS') return done();
    const client = clientOf(request);
    if (!shedder.take(client)) return done(overloaded());
    reply.raw.once('close', () => shedder.leave(client));
    done();
  });
  app.addHook('onClose', async () => shedder.close());
  return shedder;
}

/**
 * Identifies the client before authentication. Many customers may share one address, so clients are
 * distinguished by key, if the route takes one and its checksum is right. Anyone can invent such
 * keys, so the number of clients per address is limited.
 */
function clientOf({ headers, ip, routeOptions }: FastifyRequest): Client {
  const address = rateSubject(ip);
  const key = routeOptions.config.keyed ? bearerKey(headers.authorization) : null;
  return { address, id: key === null ? address : `${address} ${key}` };
}

/** The well-formed API key of a header; null if there is none. */
function bearerKey(authorization: string | undefined): string | null {
  const token = bearerToken(authorization);
  return token !== null && isWellFormedApiKey(token) ? token : null;
}
