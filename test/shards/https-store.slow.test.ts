import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FolderStore } from '../../shards/store/folder-store.ts';
import { HttpsReader } from '../../shards/store/http/https-reader.ts';
import { openStore, openWritableStore } from '../../shards/store/open-store.ts';
import { storeFault } from '../../shards/store/store-location.ts';
import { type Nginx, startNginx } from '../support/nginx.ts';
import { bytes, readerSuite, refOf } from './reader-suite.ts';

let root: string;
let nginx: Nginx;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'tta-public-'));
  nginx = await startNginx(root);
});
afterAll(async () => {
  await nginx.stop();
  await rm(root, { recursive: true, force: true });
});

/** Makes a store from a folder that nginx serves, whose name must be escaped in its address. */
const faceOf = (open: (prefix: string) => HttpsReader) => async () => {
  const folder = await mkdtemp(path.join(root, 'a store+'));
  return {
    writer: new FolderStore(folder),
    open: () => open(encodeURIComponent(path.basename(folder))),
  };
};

readerSuite({
  kind: 'https://, a folder behind nginx with TLS',
  make: faceOf((prefix) => new HttpsReader(`${nginx.https}/${prefix}/`, { ca: nginx.ca })),
});
readerSuite({
  kind: 'http:// of this machine',
  make: faceOf((prefix) => new HttpsReader(`${nginx.http}/${prefix}`)),
});

describe('a read-only store', () => {
  const ref = refOf('kind/object.tta', bytes);
  const refusedBy = async (location: string): Promise<string> => {
    const reader = await openStore(location);
    const error = await reader.readRange(ref, 0, 10).catch((reason: Error) => reason);
    await reader.close();
    expect(error).toBeInstanceOf(Error);
    return (error as Error).message;
  };

  test('cannot be opened for writing, which takes no request', () => {
    return expect(openWritableStore('https://cdn.example/store')).rejects.toThrow(
      /^https:\/\/cdn\.example\/store: this store is read-only; give the folder or the bucket/,
    );
  });

  test('is an https address without secrets; http is for this machine only', async () => {
    for (const good of [
      'https://cdn.example',
      'https://cdn.example:8443/a/b/',
      'HTTPS://cdn.example/a',
      'http://127.0.0.1:8080/a',
      'http://localhost/a',
      'http://[::1]:80/a',
    ]) {
      expect(storeFault(good)).toBe(null);
    }
    expect(storeFault('http://cdn.example/a')).toMatch(/use https/);
    expect(storeFault('http://127.evil.example/a')).toMatch(/use https/);
    expect(storeFault('https://cdn.example/a?token=1')).toMatch(/has a \? or #/);
    expect(storeFault('https://')).toMatch(/is not an address/);
    expect(storeFault('gs://bucket/a')).toMatch(/"gs" is not supported/);
    const secret = 'https://somebody:hunter2@cdn.example/a';
    expect(storeFault(secret)).toMatch(/user or password/);
    for (const open of [openStore, openWritableStore]) {
      await expect(open(secret)).rejects.toThrow(/^https:\/\/…@cdn\.example\/a: /);
    }
  });

  test('explains a refusal and what to do', async () => {
    expect(await refusedBy(`${nginx.http}/forbidden`)).toMatch(/refuses it to the public \(403\)/);
    expect(await refusedBy(`${nginx.http}/moved`)).toMatch(
      /leads on to https:\/\/elsewhere\.example\/moved\/kind\/object\.tta \(301\); give that/,
    );
    expect(await refusedBy(`${nginx.https}/any`)).toMatch(
      /certificate is not to be trusted .* NODE_EXTRA_CA_CERTS/,
    );
    await new FolderStore(root).putContent(ref.name, bytes);
    expect(await refusedBy(`${nginx.http}/whole`)).toMatch(/all of an object for a range of it/);
    expect(await refusedBy('http://127.0.0.1:9/store')).toMatch(/no server is listening/);
  });
});
