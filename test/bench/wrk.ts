import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianPackage } from '../support/debian.ts';

/** One request of a load; `key` goes into its `Authorization`. */
export interface Target {
  readonly path: string;
  readonly key?: string;
  /** A body of JSON, which makes the request a POST. */
  readonly body?: string;
}

/** Requests one target once, as a load would. */
export function ask(address: string, { path, key, body }: Target): Promise<Response> {
  const headers = new Headers();
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  if (body === undefined) return fetch(address + path, { headers });
  headers.set('content-type', 'application/json');
  return fetch(address + path, { method: 'POST', headers, body });
}

/** The results of a load, with latencies in milliseconds. */
export interface Load {
  readonly requests: number;
  /** Bytes of all responses, heads included. */
  readonly bytes: number;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

export const CONNECTIONS = 64;

interface LoadOptions {
  readonly seconds: number;
  readonly connections?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the targets in turn, over and over; reports the results as JSON. */
const SCRIPT = `
local requests, at = {}, 0
function init(args)
  for line in io.lines(args[1]) do
    local path, key, body = line:match('^(%S+)\\t(%S*)\\t(.*)$')
    local headers = {}
    for name, value in pairs(wrk.headers) do headers[name] = value end
    if key ~= '' then headers['Authorization'] = 'Bearer ' .. key end
    if body ~= '' then headers['Content-Type'] = 'application/json' end
    local method = body == '' and 'GET' or 'POST'
    requests[#requests + 1] = wrk.format(method, path, headers, body ~= '' and body or nil)
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\\n{"requests":%d,"bytes":%d,"micros":%d,"p50":%d,"p99":%d,"errors":%d}\\n',
    summary.requests, summary.bytes, summary.duration, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
`;

/**
 * Loads a server with many different requests by wrk for some seconds, from one thread. Throws if
 * any request failed: a rate that includes errors is meaningless.
 */
export async function load(
  address: string,
  targets: readonly Target[],
  { seconds, connections = CONNECTIONS, headers = {} }: LoadOptions,
): Promise<Load> {
  await ensureDebianPackage('wrk', 'wrk');
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-wrk-'));
  try {
    const [script, list] = [path.join(folder, 'load.lua'), path.join(folder, 'targets')];
    const lines = targets.map(({ path, key = '', body = '' }) => `${path}\t${key}\t${body}\n`);
    await writeFile(script, SCRIPT);
    await writeFile(list, lines.join(''));
    const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const timing = ['-t1', `-c${connections}`, `-d${seconds}`, '--timeout', '10'];
    const { stdout } = await promisify(execFile)('wrk', [
      ...timing,
      ...flags,
      '-s',
      script,
      address,
      '--',
      list,
    ]);
    const said = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{'))) as Record<string, number>;
    if (said.errors > 0) throw new Error(`${address}: ${said.errors} failed requests\n${stdout}`);
    return {
      requests: said.requests,
      bytes: said.bytes,
      rate: said.requests / (said.micros / 1e6),
      p50: said.p50 / 1000,
      p99: said.p99 / 1000,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
