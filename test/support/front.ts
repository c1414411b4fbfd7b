import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Agent, type Dispatcher, request } from 'undici';
import { composeServices } from './compose.ts';
import { ensureDebianPackage } from './debian.ts';
import { freePort } from './free-port.ts';
import { listening, runNginx } from './nginx.ts';

const run = promisify(execFile);

/** A response as received, with its body not decompressed. */
export interface FrontResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** A server in front of the service, with the same configuration as given to operators. */
export interface Front {
  readonly port: number;
  /** Sends a request to one of the hosts of the front. */
  ask(
    url: string,
    headers?: Readonly<Record<string, string>>,
    method?: Dispatcher.HttpMethod,
    body?: string,
  ): Promise<FrontResponse>;
  /**
   * Whether the front's probes have found each server ready; true for nginx, which sends no probes.
   */
  findsAllReady(): Promise<boolean>;
  /** The log of failures to reach a server; empty for Varnish, which keeps none. */
  errors(): Promise<string>;
  stop(): Promise<void>;
}

export interface NginxFront extends Front {
  readonly caFile: string;
  readonly ca: string;
  /** The access log, one line per request. */
  log(): Promise<string[]>;
  /** The access log lines that report an unresponsive upstream. */
  unanswered(): Promise<string[]>;
}

/** The hosts under which tests reach the service. */
export const HOSTS = {
  api: 'api.example.test',
  account: 'account.example.test',
  tiles: 'tiles.example.test',
} as const;

/** Start of the access log lines that report an unresponsive upstream. */
const UNANSWERED = 'unanswered ';

/**
 * Starts Debian's nginx with `infra/front/nginx.conf.template`, filled in from the compose file.
 */
export async function startNginxFront(
  servers: {
    readonly api?: readonly string[];
    readonly portal?: string;
    readonly bucket?: string;
    /** Location of the store in the bucket; by default, that of the compose file. */
    readonly bucketPath?: string;
  },
  other: {
    /** Command of another nginx; by default, Debian's. */
    readonly program?: readonly string[];
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<NginxFront> {
  const [port, innerPort] = [await freePort(), await freePort()];
  const template = await readFile('infra/front/nginx.conf.template', 'utf8');
  const names = { API_HOST: HOSTS.api, ACCOUNT_HOST: HOSTS.account, TILES_HOST: HOSTS.tiles };
  const { nginx: composed } = await composeServices(names, {});
  // The parameters are those of the compose file, except `resolve`, which Debian's nginx does not
  // support.
  const upstream = (name: string, addresses: readonly string[]) => {
    const parameters = /^server \S+ resolve(.*;)$/.exec(composed.environment[name])![1];
    return addresses.map((address) => `server ${new URL(address).host}${parameters}`).join(' ');
  };
  const nobody = 'http://127.0.0.1:9';
  const { api = [nobody], portal = nobody, bucket = nobody, bucketPath } = servers;
  const httpBlock = (folder: string) =>
    filledIn(template, {
      ...composed.environment,
      API_SERVERS: upstream('API_SERVERS', api),
      PORTAL_SERVERS: upstream('PORTAL_SERVERS', [portal]),
      BUCKET_SERVERS: upstream('BUCKET_SERVERS', [bucket]),
      BUCKET_HOST: new URL(bucket).host,
      ...(bucketPath !== undefined && { BUCKET_PATH: bucketPath }),
      FRONT_LISTEN: `127.0.0.1:${port}`,
      FRONT_INNER_PORT: `${innerPort}`,
      FRONT_CACHE: folder,
      FRONT_LOG: `${folder}/access.log`,
      FRONT_CERTIFICATE: `${folder}/ca.pem`,
      FRONT_CERTIFICATE_KEY: `${folder}/key.pem`,
      ...other.settings,
    });
  const nginx = await runNginx(port, Object.values(HOSTS), httpBlock, other.program);
  const agent = loopbackAgent(nginx.ca);
  const logged = async () =>
    (await readFile(`${nginx.folder}/access.log`, 'utf8')).trim().split('\n');
  return {
    port,
    caFile: nginx.caFile,
    ca: nginx.ca,
    log: async () => (await logged()).filter((line) => !line.startsWith(UNANSWERED)),
    unanswered: async () => (await logged()).filter((line) => line.startsWith(UNANSWERED)),
    errors: () => readFile(`${nginx.folder}/error.log`, 'utf8'),
    ask: (url, headers, method, body) => asked(agent, withPort(url, port), headers, method, body),
    findsAllReady: async () => true,
    async stop() {
      await agent.close();
      await nginx.stop();
    },
  };
}

/** Agent that resolves every name to loopback and trusts the certificate authority `ca`. */
export function loopbackAgent(ca: string): Agent {
  const lookup = (_: string, __: object, done: (...found: unknown[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  return new Agent({ connect: { ca, lookup } as object });
}

/** Starts Debian's Varnish with `infra/front/api.vcl.template`, in front of one server or two. */
export async function startVarnishFront(first: string, second = first): Promise<Front> {
  await ensureDebianPackage('varnish', 'varnishd');
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-varnish-'));
  // When started by root, Varnish reads files as a separate user.
  await chmod(folder, 0o755);
  const port = await freePort();
  const template = await readFile('infra/front/api.vcl.template', 'utf8');
  const vcl = path.join(folder, 'api.vcl');
  const [one, two] = [new URL(first), new URL(second)];
  const names = {
    API_HOST: HOSTS.api,
    API_BACKEND_1_HOST: one.hostname,
    API_BACKEND_1_PORT: one.port,
    API_BACKEND_2_HOST: two.hostname,
    API_BACKEND_2_PORT: two.port,
  };
  await writeFile(vcl, filledIn(template, names));
  const listen = ['-a', `127.0.0.1:${port}`, '-f', vcl, '-p', 'http_gzip_support=off'];
  const runs = path.join(folder, 'run');
  const own = ['-F', '-n', runs, '-s', 'malloc,64m', '-T', 'none'];
  const server = spawn('varnishd', [...listen, ...own], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  server.stderr.on('data', (chunk) => {
    said += chunk;
  });
  await Promise.race([
    listening(port, 'varnishd'),
    once(server, 'exit').then(() => Promise.reject(new Error(`varnishd: ${said}`))),
  ]);
  const agent = new Agent();
  const toPort = (url: string) =>
    `http://127.0.0.1:${port}${new URL(url).pathname}${new URL(url).search}`;
  return {
    port,
    ask: (url, headers, method, body) =>
      asked(agent, toPort(url), { host: HOSTS.api, ...headers }, method, body),
    async findsAllReady() {
      const { stdout } = await run('varnishstat', ['-n', runs, '-j', '-f', 'VBE.*.ready_*.happy']);
      // A value has 64 bits, one per probe, the lowest for the last probe, which succeeded if the
      // value is odd.
      return [...stdout.matchAll(/"value": \d*(\d)\b/g)].every(
        ([, last]) => Number(last) % 2 === 1,
      );
    },
    errors: async () => '',
    async stop() {
      await agent.close();
      if (server.kill('SIGTERM')) await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function withPort(url: string, port: number): string {
  const at = new URL(url);
  at.port = `${port}`;
  return at.href;
}

async function asked(
  dispatcher: Agent,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method: Dispatcher.HttpMethod = 'GET',
  body?: string,
): Promise<FrontResponse> {
  const response = await request(url, { dispatcher, headers, method, body });
  return {
    status: response.statusCode,
    headers: response.headers as FrontResponse['headers'],
    body: Buffer.from(await response.body.arrayBuffer()),
  };
}

/** Replaces the names in a template as `envsubst` does; throws on an unknown name. */
function filledIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template asks for ${name}`);
    return value;
  });
}
