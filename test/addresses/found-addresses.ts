import type { FoundAddress } from '../../proxy/queries/addresses/find-addresses.ts';
import { Dice } from '../transit/dice.ts';
import { type Misspelt, misspell, namedBy, type PlainAddress } from './misspell.ts';

/** From this confidence on, the reference says, a match may be taken without asking. */
const TAKEN_FROM = 0.8;

/** The outcome of searches for texts that name one address. */
interface Report {
  readonly texts: number;
  readonly right: number;
  /** Right, and certain enough to be taken. */
  readonly taken: number;
  /** Texts that the list has in several blocks, and of these those that list the right one. */
  readonly ambiguous: number;
  readonly listed: number;
  /** Wrong answers that would be taken. */
  readonly misled: readonly string[];
  readonly missed: readonly string[];
}

/** Misspells addresses of a list, searches them, and compares with the list. */
export async function searchMisspelt(
  list: readonly PlainAddress[],
  asked: readonly PlainAddress[],
  seed: number,
  search: (text: string) => Promise<readonly FoundAddress[]>,
): Promise<Report> {
  const dice = new Dice(seed);
  let [texts, right, taken, ambiguous, listed] = [0, 0, 0, 0, 0];
  const misled: string[] = [];
  const missed: string[] = [];
  const byNumber = new Map<number, PlainAddress[]>();
  for (const address of list) {
    const same = byNumber.get(address.number);
    if (same) same.push(address);
    else byNumber.set(address.number, [address]);
  }
  for (const address of asked) {
    const written = misspell(dice, address);
    const named = namedBy(byNumber.get(address.number)!, written);
    // A misspelling of one street may be the name of another.
    if (named.size > 0 && !named.has(address.block)) continue;
    const found = await search(written.text);
    const [first] = found;
    const isRight = first?.geoid === address.block;
    const line = describe(address, written, found);
    if (first && first.confidence >= TAKEN_FROM && !isRight) misled.push(line);
    if (named.size > 1) {
      ambiguous++;
      if (found.some(({ geoid }) => geoid === address.block)) listed++;
      else missed.push(line);
      continue;
    }
    texts++;
    if (isRight) right++;
    else missed.push(line);
    if (isRight && first.confidence >= TAKEN_FROM) taken++;
  }
  return { texts, right, taken, ambiguous, listed, misled, missed };
}

function describe(
  { number, street, block }: PlainAddress,
  { text, mistakes }: Misspelt,
  found: readonly FoundAddress[],
): string {
  const matches = found.map(({ label, geoid, confidence }) => `${label} ${geoid} ${confidence}`);
  return `"${text}" (${number} ${street}, ${block}; ${mistakes.join(', ')}): ${matches.join('; ') || 'nothing'}`;
}
