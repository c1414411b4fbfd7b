import { describe, expect, test } from 'vitest';
import {
  canBeWritten,
  kindOf,
  shownLocation,
  storeFault,
} from '../../shards/store/store-location.ts';

describe('a store location', () => {
  test.each([
    ['folder', '/srv/store'],
    ['folder', 'store'],
    ['folder', './s3:store'],
    ['folder', 'C:\\store'],
    ['s3', 's3://bucket/prefix'],
    ['s3', 'S3://bucket'],
    ['http', 'https://host/prefix'],
    ['http', 'HTTPS://host'],
    ['http', 'http://localhost:8080/store'],
    ['http', 'http://127.0.0.1/store'],
    ['http', 'http://127.10.200.3/store'],
    ['http', 'http://[::1]:80/store'],
  ])('is a %s: %s, writable unless it is read over HTTP', (kind, location) => {
    expect(storeFault(location)).toBeNull();
    expect([kindOf(location), canBeWritten(location)]).toEqual([kind, kind !== 'http']);
  });

  test.each([
    [
      'ftp://host/store',
      'a store is a folder, s3://bucket/prefix or https://host/prefix; "ftp" is',
    ],
    ['file:///store', '"file" is not supported'],
    ['constructor://x', '"constructor" is not supported'],
    ['https://', 'is not an address such as https://host/prefix'],
    ['https://me@host/store', 'holds a user or password'],
    ['https://:word@host/store', 'holds a user or password'],
    ['https://host/store?x=1', 'has a ? or #'],
    ['https://host/store#x', 'has a ? or #'],
    ['http://host/store', 'http is for a server of this machine only; use https'],
    ['http://1127.0.0.1.example/store', 'http is for a server of this machine only'],
    ['http://127.0.0.1.example/store', 'http is for a server of this machine only'],
  ])('is refused: %s', (location, fault) => {
    expect(storeFault(location)).toContain(fault);
  });

  test('is shown without the credentials before the @', () => {
    expect(shownLocation('s3://key:secret@bucket/prefix')).toBe('s3://…@bucket/prefix');
    expect(shownLocation('https://host/a@b')).toBe('https://host/a@b');
    expect(shownLocation('/srv/store')).toBe('/srv/store');
  });
});
