import { execFileSync } from 'node:child_process';

/** An OSM element as osmium prints it: ids and texts, coordinates in the format's 10⁻⁷ degrees. */
export interface OplElement {
  readonly type: 'node' | 'way' | 'relation';
  readonly id: number;
  readonly tags: ReadonlyMap<string, string>;
  /** Nodes only: degrees as osmium writes them, of seven decimals at most. */
  readonly lon?: string;
  readonly lat?: string;
  /** Ways only. */
  readonly refs?: readonly number[];
  /** Relations only. */
  readonly members?: readonly { type: OplElement['type']; ref: number; role: string }[];
  /** Milliseconds; 0 without metadata. */
  readonly timestamp: number;
}

const TYPES = { n: 'node', w: 'way', r: 'relation' } as const;
const MEGABYTES = 2 ** 20;

/**
 * The elements osmium reads from a file, in its order: libosmium's decoder, as OPL text
 * (https://osmcode.org/opl-file-format/), is the oracle for ours.
 */
export function readWithOsmium(path: string): OplElement[] {
  const options = { encoding: 'utf8', maxBuffer: 512 * MEGABYTES } as const;
  const text = execFileSync('osmium', ['cat', path, '-f', 'opl', '-o', '-'], options);
  return text.split('\n').filter(Boolean).map(parseLine);
}

function parseLine(line: string): OplElement {
  const [first, ...rest] = line.split(' ');
  const field = new Map(rest.map((part) => [part.charAt(0), part.slice(1)]));
  const type = TYPES[first.charAt(0) as keyof typeof TYPES];
  const stamp = field.get('t');
  return {
    type,
    id: Number(first.slice(1)),
    tags: new Map(list(field.get('T')).map((pair) => tag(pair))),
    timestamp: stamp ? Date.parse(stamp) : 0,
    ...(type === 'node' && { lon: field.get('x'), lat: field.get('y') }),
    ...(type === 'way' && { refs: list(field.get('N')).map((ref) => Number(ref.slice(1))) }),
    ...(type === 'relation' && { members: list(field.get('M')).map(member) }),
  };
}

function list(text: string | undefined): string[] {
  return text ? text.split(',') : [];
}

function tag(pair: string): [string, string] {
  const [key, value] = pair.split('=');
  return [decoded(key), decoded(value)];
}

function member(text: string) {
  const at = text.indexOf('@');
  return {
    type: TYPES[text.charAt(0) as keyof typeof TYPES],
    ref: Number(text.slice(1, at)),
    role: decoded(text.slice(at + 1)),
  };
}

/** OPL escapes reserved characters as their code point, hexadecimal, between percent signs. */
function decoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]+)%/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
}
