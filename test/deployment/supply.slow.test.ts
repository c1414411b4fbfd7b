import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isWellFormedApiKey } from '../../proxy/ledger/api-key.ts';

const run = promisify(execFile);

/** Licences that require attribution only. */
const PERMISSIVE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Zlib',
  'CC0-1.0',
  'Unlicense',
]);
/**
 * Licences of development tools, data and the map's font, which keep their own terms and are not
 * part of the running service.
 */
const FOR_DEVELOPMENT = new Set(['MPL-2.0', 'CC-BY-4.0', 'OFL-1.1']);

/** Packages without a licence field, with the licence of their repository. */
const LICENSED_UPSTREAM: Readonly<Record<string, string>> = {
  '@mapbox/jsonlint-lines-primitives': 'MIT',
};

interface Component {
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { license?: { id?: string; name?: string }; expression?: string }[];
}

/** The software bill of materials that npm writes from the installed packages. */
async function billOfMaterials(...omit: readonly string[]): Promise<Component[]> {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const { stdout } = await run('npm', ['sbom', ...format, ...omit], { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout).components;
}

/** Components with none of the allowed licences. */
function underOtherTerms(components: readonly Component[], allowed: ReadonlySet<string>): string[] {
  const isAllowed = (text: string): boolean => {
    const terms = text.replace(/^\((.*)\)$/, '$1');
    if (terms.includes(' OR ')) return terms.split(' OR ').some(isAllowed);
    if (terms.includes(' AND ')) return terms.split(' AND ').every(isAllowed);
    return allowed.has(terms);
  };
  return components
    .filter(({ name, licenses = [{ expression: LICENSED_UPSTREAM[name] }] }) => {
      const terms = licenses.map((one) => one.expression ?? one.license?.id ?? one.license?.name);
      return terms.length === 0 || !terms.every((text) => isAllowed(text ?? ''));
    })
    .map(({ name, version, licenses }) => `${name} ${version}: ${JSON.stringify(licenses)}`);
}

test('all packages at run time have permissive licences; build and test tools have no GPL', async () => {
  const [running, all] = [await billOfMaterials('--omit', 'dev'), await billOfMaterials()];
  expect(running.length).toBeGreaterThan(100);
  expect(all.length).toBeGreaterThan(running.length);
  expect(underOtherTerms(running, PERMISSIVE)).toEqual([]);
  expect(underOtherTerms(all, new Set([...PERMISSIVE, ...FOR_DEVELOPMENT]))).toEqual([]);
});

/** Packages with install scripts: each also ships prebuilt, so its scripts are disabled. */
const INSTALL_SCRIPTS = ['@photostructure/sqlite', 'msgpackr-extract'];

interface Locked {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
}

test('every package comes from the registry, is pinned by its SHA-512, and runs no install script', async () => {
  const packagesOf = async (file: string): Promise<[name: string, Locked][]> =>
    Object.entries<Locked>(JSON.parse(await readFile(file, 'utf8')).packages).filter(
      ([place]) => place !== '',
    );
  const locked = await packagesOf('package-lock.json');
  expect(locked.length).toBeGreaterThan(100);
  const nameOf = (place: string) => place.split('node_modules/').at(-1)!;
  const named = (isOne: (of: Locked) => boolean) =>
    locked.filter(([, of]) => isOne(of)).map(([place]) => nameOf(place));
  const fromElsewhere = ({ resolved }: Locked) =>
    resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/');
  expect(named(fromElsewhere)).toEqual([]);
  expect(named(({ integrity }) => !integrity?.startsWith('sha512-'))).toEqual([]);
  expect(named(({ hasInstallScript }) => hasInstallScript === true)).toEqual(INSTALL_SCRIPTS);
  const { allowScripts } = JSON.parse(await readFile('package.json', 'utf8'));
  expect(allowScripts).toEqual(Object.fromEntries(INSTALL_SCRIPTS.map((name) => [name, false])));
  // Exactly these packages are installed and tested here.
  const wanted = new Map(locked);
  for (const [place, { integrity }] of await packagesOf('node_modules/.package-lock.json')) {
    expect([place, wanted.get(place)?.integrity]).toEqual([place, integrity]);
  }
});

test('packages made for each other are installed once, and unused ones not at all', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8'));
  const places = Object.keys(packages).filter((place) => place !== '');
  const nameOf = (place: string) => place.split('node_modules/').at(-1)!;
  const family = places.filter((place) => /^(@opentelemetry\/|flatbuffers$)/.test(nameOf(place)));
  expect(family.length).toBeGreaterThan(8);
  expect(new Set(family.map(nameOf)).size).toBe(family.length);
  // OpenLayers, with which flatgeobuf would draw maps, is replaced by a package that is needed
  // anyway.
  const [[, { name, version }], ...others] = Object.entries<{ name?: string; version: string }>(
    packages,
  ).filter(([place]) => /(^|\/)(ol|rbush|zarrita)$/.test(place));
  expect([name, version, others]).toEqual([
    'slice-source',
    packages['node_modules/slice-source'].version,
    [],
  ]);
});

/** Patterns of usable secrets. */
const SECRETS: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}/g,
  'an access key of Amazon': /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  'a key of Stripe': /\b(?:sk|rk)_live_[A-Za-z0-9]{16,}/g,
  'a webhook secret': /\bwhsec_[A-Za-z0-9+/]{24,}/g,
  'a token of GitHub': /\bgh[pousr]_[A-Za-z0-9]{36}\b/g,
  'a token of npm': /\bnpm_[A-Za-z0-9]{36}\b/g,
  'a token of Google': /\bAIza[\w-]{35}\b/g,
  'a signed token': /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}/g,
  'a password in an address':
    /\b(?:rediss?|smtps?|postgres(?:ql)?|https?):\/\/[^\s:/@'"`<>${}]*:[^\s/@'"`<>${}]{12,}@/g,
  'an API key': /\bta_live_[A-Za-z0-9]{38}\b/g,
};

/** Secrets in a text; of our keys, only those with a valid checksum. */
function secretsIn(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)]
      .filter(([found]) => !found.startsWith('ta_live_') || isWellFormedApiKey(found))
      .map(([found]) => `${kind}: ${found.slice(0, 12)}…`),
  );
}

test('no secret is committed with the code', async () => {
  const { stdout } = await run('git', ['ls-files', '-z'], { maxBuffer: 2 ** 24 });
  const found: string[] = [];
  for (const file of stdout.split('\0').filter((name) => name !== '')) {
    const text = await readFile(file, 'latin1').catch(() => '');
    for (const secret of secretsIn(text)) found.push(`${file}: ${secret}`);
  }
  expect(found).toEqual([]);
});

test('the secret scan finds secrets of each kind', () => {
  const body = 'Ab3'.repeat(20);
  const samples = [
    `-----BEGIN RSA PRIVATE KEY-----\n${body}`,
    `AKIA${'Q7'.repeat(8)}`,
    `sk_${'live'}_${body}`,
    `whsec_${body}`,
    `ghp_${body.slice(0, 36)}`,
    `npm_${body.slice(0, 36)}`,
    `AIza${body.slice(0, 35)}`,
    `eyJ${body}.eyJ${body}.${body}`,
    `redis://default:${body}@cache:6379`,
  ];
  for (const sample of samples) expect(secretsIn(`key = "${sample}"`)).toHaveLength(1);
});
