import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type ServerProcess, startServer } from '../support/server-process.ts';

const VERSION = '5.6.0';
/** Folder of the installation, kept from run to run: it is some hundred packages. */
const INSTALLED = path.join(tmpdir(), `travel-time-access-tileserver-gl-light-${VERSION}`);
const POLL_MS = 50;
const MAIN = path.join(INSTALLED, 'node_modules/tileserver-gl-light/src/main.js');

/** Serves one PMTiles archive with tileserver-gl-light, under `/data/bands/{z}/{x}/{y}.pbf`. */
export async function startTileserver(archive: string, folder: string): Promise<ServerProcess> {
  await installTileserver();
  await copyFile(archive, path.join(folder, 'bands.pmtiles'));
  const config = path.join(folder, 'config.json');
  const options = { paths: { root: folder, pmtiles: folder } };
  const data = { bands: { pmtiles: 'bands.pmtiles' } };
  await writeFile(config, JSON.stringify({ options, styles: {}, data }));
  const env = { PORT: '0', BIND: '127.0.0.1', TILESERVER_GL_ALLOWED_HOSTS: '127.0.0.1' };
  const server = await startServer([MAIN, '--config', config, '--silent'], env);
  // The server listens before it has opened its archive.
  while (!(await fetch(`${server.address}/health`)).ok) await setTimeout(POLL_MS);
  return server;
}

/**
 * Installs tileserver-gl-light outside the project, without running any scripts. An empty package
 * replaces its MBTiles reader, which is always loaded and needs a compiled SQLite.
 */
async function installTileserver(): Promise<void> {
  if (existsSync(MAIN)) return;
  const stub = path.join(INSTALLED, 'no-mbtiles');
  await mkdir(stub, { recursive: true });
  await writeFile(path.join(stub, 'index.js'), 'module.exports = class {};\n');
  await writeJson(path.join(stub, 'package.json'), { name: '@mapbox/mbtiles', version: '0.12.1' });
  await writeJson(path.join(INSTALLED, 'package.json'), {
    private: true,
    dependencies: { 'tileserver-gl-light': VERSION },
    overrides: { '@mapbox/mbtiles': 'file:./no-mbtiles' },
  });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['install', '--prefix', INSTALLED, ...flags]);
}

function writeJson(file: string, value: object): Promise<void> {
  return writeFile(file, JSON.stringify(value));
}
