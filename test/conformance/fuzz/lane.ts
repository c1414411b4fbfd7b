import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Client } from 'undici';
import type { Random } from '../../../infra/demo/seeded-random.ts';
import { followUp } from './follow-up.ts';
import { chargedFor, judge } from './judge.ts';
import type { FuzzRequest } from './requests.ts';
import { type Asker, type Delivered, isMetered } from './worth.ts';

/** The observations of a lane. */
export interface Tally {
  requests: number;
  /** Number of follow-up requests, whose responses are compared with the first ones. */
  followUps: number;
  readonly statuses: Map<number, number>;
  /** Sums over the responses of each client, by its name. */
  readonly charged: Map<string, { tokens: number; worth: number; responses: number }>;
  /** Errors: the count of each, and the first request that caused it. */
  readonly faults: Map<string, { count: number; readonly shownBy: string }>;
  largestError: number;
}

export function newTally(): Tally {
  return {
    requests: 0,
    followUps: 0,
    largestError: 0,
    statuses: new Map(),
    charged: new Map(),
    faults: new Map(),
  };
}

const MAX_TOLD_OF_A_BODY = 500;
/** Decoders of bodies by content coding. */
const DECODED: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes),
  br: (bytes) => brotliDecompressSync(bytes),
};
/** The share of responses that lead to another request. */
const FOLLOWED = 0.15;

/** One connection: sends request after request, and checks each response against the contract. */
export class Lane {
  readonly #client: Client;
  readonly #random: Random;
  readonly #tally: Tally;

  constructor(address: string, random: Random, tally: Tally) {
    this.#client = new Client(address, { pipelining: 1 });
    this.#random = random;
    this.#tally = tally;
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  /** Sends a request, and occasionally the one that its response leads to. */
  async ask(request: FuzzRequest, clientId: Asker): Promise<void> {
    const response = await this.#send(request, clientId);
    if (response?.status !== 200 || !this.#random.chance(FOLLOWED)) return;
    const next = followUp(request, response, this.#random);
    if (next === undefined) return;
    this.#tally.followUps++;
    const second = await this.#send(next.request, clientId);
    // Between the two, another lane may have spent the last tokens, or used the same key.
    const isExcused = second === undefined || second.status === 429;
    if (!isExcused) this.#note(next.faults(second), next.request, clientId, second);
  }

  async #send(request: FuzzRequest, clientId: Asker): Promise<Delivered | undefined> {
    const tally = this.#tally;
    tally.requests++;
    const { authorization } = clientId;
    const { method, path, body } = request;
    const sent = { ...request.headers, ...(authorization === null ? {} : { authorization }) };
    try {
      const response = await this.#client.request({ method, path, headers: sent, body });
      const headers = response.headers as Delivered['headers'];
      const bytes = Buffer.from(await response.body.arrayBuffer());
      const decoded = bytes.length === 0 ? undefined : DECODED[headers['content-encoding'] ?? ''];
      const delivered: Delivered = {
        method,
        path,
        route: request.route,
        clientId,
        sent: body,
        status: response.statusCode,
        headers,
        body: decoded?.(bytes) ?? bytes,
      };
      const { worth, faults } = judge(delivered);
      this.#count(delivered, worth, request, clientId);
      this.#note(faults, request, clientId, delivered);
      return delivered;
    } catch (error) {
      this.#note([`no response: ${error}`], request, clientId);
      return undefined;
    }
  }

  #count(
    delivered: Delivered,
    worth: number,
    { headers: sent }: FuzzRequest,
    { name }: Asker,
  ): void {
    const { status, headers, body } = delivered;
    const { statuses, charged } = this.#tally;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 400) this.#tally.largestError = Math.max(this.#tally.largestError, body.length);
    const sum = charged.get(name) ?? { tokens: 0, worth: 0, responses: 0 };
    charged.set(name, sum);
    const tokens = chargedFor(headers);
    sum.tokens += tokens;
    // A free response is in the ledger, too, if its key is to be known again.
    const isRemembered =
      status === 200 &&
      isMetered(delivered) &&
      sent['idempotency-key'] !== undefined &&
      headers['idempotency-replayed'] !== 'true';
    sum.responses += tokens > 0 || isRemembered ? 1 : 0;
    sum.worth += worth;
  }

  #note(
    faults: readonly string[],
    request: FuzzRequest,
    clientId: Asker,
    response?: Delivered,
  ): void {
    for (const fault of faults) {
      const known = this.#tally.faults.get(fault);
      if (known !== undefined) {
        known.count++;
        continue;
      }
      const { method, path, headers, body = '' } = request;
      const sent = `${method} ${path} ${JSON.stringify(headers)} ${start(body)}`;
      const got = response === undefined ? 'nothing' : `${response.status} ${start(response.body)}`;
      this.#tally.faults.set(fault, { count: 1, shownBy: `${clientId.name}: ${sent} → ${got}` });
    }
  }
}

function start(body: string | Buffer): string {
  return body.slice(0, MAX_TOLD_OF_A_BODY).toString();
}
