import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ensureDebianPackage } from './debian.ts';
import { freePort } from './free-port.ts';

const POLL_MS = 50;
const START_MS = 120_000;

/** A web server that serves a folder publicly, with and without TLS. */
export interface Nginx extends RunningNginx {
  readonly https: string;
  readonly http: string;
}

/** Starts Debian's nginx over a folder, on free ports of loopback. */
export async function startNginx(root: string): Promise<Nginx> {
  const [tls, plain] = [await freePort(), await freePort()];
  const server = await runNginx(plain, ['localhost'], (folder) =>
    publicFolder(folder, root, tls, plain),
  );
  return {
    https: `https://localhost:${tls}`,
    http: `http://127.0.0.1:${plain}`,
    ...server,
  };
}

/** A running nginx with its own folder. */
export interface RunningNginx {
  readonly folder: string;
  /** File of the server's self-signed certificate; `ca` has its contents. */
  readonly caFile: string;
  readonly ca: string;
  stop(): Promise<void>;
}

/**
 * Starts Debian's nginx, or another `program`, with the given content of its `http` block, and
 * waits until it listens on `port`. The folder has `ca.pem` and `key.pem`, a certificate for the
 * given names.
 */
export async function runNginx(
  port: number,
  names: readonly string[],
  httpBlock: (folder: string) => string,
  program: readonly string[] = ['nginx'],
): Promise<RunningNginx> {
  await ensureDebianPackage('nginx-light', 'nginx');
  await ensureDebianPackage('openssl', 'openssl');
  const folder = await mkdtemp(path.join(tmpdir(), 'tta-nginx-'));
  const at = (name: string) => path.join(folder, name);
  const altNames = names.map((name) => `DNS:${name}`).join();
  const subject = ['-subj', '/CN=localhost', '-addext', `subjectAltName=${altNames}`];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', at('key.pem'), '-out', at('ca.pem')];
  await promisify(execFile)('openssl', ['req', '-x509', '-days', '2', ...made, ...subject]);
  await writeFile(at('nginx.conf'), configuration(folder, httpBlock(folder)));
  const [command, ...words] = [...program, '-p', folder, '-c', at('nginx.conf')];
  const server = spawn(command, [...words, '-e', at('error.log')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await listening(port, 'nginx');
  return {
    folder,
    caFile: at('ca.pem'),
    ca: await readFile(at('ca.pem'), 'utf8'),
    async stop() {
      if (server.kill('SIGTERM')) await once(server, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configuration(folder: string, httpBlock: string): string {
  // Under root the workers would run as a user without access to this test's folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
${httpBlock}
}
`;
}

function publicFolder(folder: string, root: string, tls: number, plain: number): string {
  return `access_log off;
  server {
    listen 127.0.0.1:${tls} ssl;
    listen 127.0.0.1:${plain};
    ssl_certificate ${folder}/ca.pem;
    ssl_certificate_key ${folder}/key.pem;
    location /forbidden/ { return 403; }
    add_header Access-Control-Allow-Origin *;
    location /moved/ { return 301 https://elsewhere.example$request_uri; }
    location / { root ${root}; }
    location /whole/ { alias ${root}/; max_ranges 0; }
  }`;
}

/** Waits until a server accepts connections. */
export async function listening(port: number, name: string): Promise<void> {
  for (const until = Date.now() + START_MS; ; ) {
    const socket = connect(port, '127.0.0.1');
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    if (Date.now() > until) throw new Error(`${name} does not listen`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
