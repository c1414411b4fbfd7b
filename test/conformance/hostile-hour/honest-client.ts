import { setTimeout as sleep } from 'node:timers/promises';
import { interceptors, Pool } from 'undici';

/** The program's input. */
export interface HonestOrders {
  readonly address: string;
  readonly key: string;
  readonly paths: readonly string[];
  readonly requestsPerSecond: number;
  readonly seconds: number;
}

/** The program's report. */
export interface HonestReport {
  readonly requests: number;
  /** Milliseconds from when a request was due until its response was complete. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** Sum of the tokens that responses stated as charged. */
  readonly charged: number;
  /** Responses other than 200 after the retries, and failures without a response. */
  readonly failures: readonly string[];
}

/** A separate address, so that the attackers cannot exhaust its per-address limits. */
const LOCAL_ADDRESS = '127.0.0.2';
const CONNECTIONS = 16;
/**
 * Retries 503 after the `Retry-After` of a service that sheds load. A client of fifty requests a
 * second has several in progress on a busy machine, and each time all but the first may be refused.
 */
const RETRIES = { maxRetries: 60, statusCodes: [503], errorCodes: [] };

process.once('message', async (orders: HonestOrders) => {
  process.send!(await ask(orders));
  process.disconnect();
});

/**
 * Sends requests at a steady rate, however long responses take. A request's time runs from when it
 * was due, including retries and any wait for a free connection or for this process.
 */
async function ask(orders: HonestOrders): Promise<HonestReport> {
  const { address, key, paths, requestsPerSecond, seconds } = orders;
  const pool = new Pool(address, {
    connections: CONNECTIONS,
    pipelining: 1,
    localAddress: LOCAL_ADDRESS,
  }).compose(interceptors.retry(RETRIES));
  const headers = { authorization: `Bearer ${key}` };
  const times: number[] = [];
  const failures: string[] = [];
  let charged = 0;
  const one = async (path: string, due: number) => {
    try {
      const response = await pool.request({ method: 'GET', path, headers });
      const body = await response.body.text();
      times.push(performance.now() - due);
      charged += Number(response.headers['x-tokens-charged'] ?? 0);
      if (response.statusCode !== 200) failures.push(`${response.statusCode} ${path} ${body}`);
    } catch (error) {
      failures.push(`${path}: ${error}`);
    }
  };
  const asked: Promise<void>[] = [];
  const begun = performance.now();
  for (let i = 0; i < requestsPerSecond * seconds; i++) {
    const due = begun + (i * 1000) / requestsPerSecond;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    asked.push(one(paths[i % paths.length], due));
  }
  await Promise.all(asked);
  await pool.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))];
  return { requests: asked.length, p50: at(0.5), p99: at(0.99), longest: at(1), charged, failures };
}
