import { s3Fault } from './s3/s3-address.ts';

/** Returns the error in a location `https://host/prefix`; null if valid. */
function httpsFault(location: string): string | null {
  if (!URL.canParse(location)) return 'is not an address such as https://host/prefix';
  const { protocol, hostname, username, password, search, hash } = new URL(location);
  if (username !== '' || password !== '') {
    return 'holds a user or password; a store is read by https:// without any';
  }
  if (search !== '' || hash !== '') return 'has a ? or #; a store is https://host/prefix';
  if (protocol === 'https:' || isThisMachine(hostname)) return null;
  return 'http is for a server of this machine only; use https';
}

function isThisMachine(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/** The kinds of stores, by the scheme of their locations; a location without one is a folder. */
export type StoreKind = 'folder' | 's3' | 'http';

const KINDS: Readonly<Record<string, StoreKind>> = {
  '': 'folder',
  s3: 's3',
  https: 'http',
  http: 'http',
};

/** Checks of locations, by kind of store: each returns the error in a location; null if valid. */
const FAULTS: Readonly<Record<StoreKind, (location: string) => string | null>> = {
  folder: () => null,
  s3: s3Fault,
  http: httpsFault,
};

export function storeFault(location: string): string | null {
  const scheme = schemeOf(location);
  if (Object.hasOwn(KINDS, scheme)) return FAULTS[KINDS[scheme]](location);
  return `a store is a folder, s3://bucket/prefix or https://host/prefix; "${scheme}" is not supported`;
}

export function kindOf(location: string): StoreKind {
  return KINDS[schemeOf(location)];
}

export function canBeWritten(location: string): boolean {
  return kindOf(location) !== 'http';
}

/** A location for display, without a password. */
export function shownLocation(location: string): string {
  return location.replace(/\/\/[^/]*@/, '//…@');
}

function schemeOf(location: string): string {
  return (/^([a-z][a-z0-9+.-]*):\/\//i.exec(location)?.[1] ?? '').toLowerCase();
}
