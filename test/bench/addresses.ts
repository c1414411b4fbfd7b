import { SpellingIndex } from '../../proxy/queries/addresses/spelling-index.ts';
import { POSTAL_NAMES } from '../../shards/states.ts';
import { Dice } from '../transit/dice.ts';
import { figure } from './figure.ts';

/** About as many as the largest county has. */
const NAMES = 30_000;
const LOOK_UPS = 2_000;
const SEED = 20_261_130;
/** Made-up names are more alike than real ones: about twice as many are found. */
const WANTED_MS = 0.1;
const [LEAST_LETTERS, MOST_LETTERS] = [4, 16];

/**
 * Measures the processor time of looking up a name among those of a county, each other than any
 * before and with up to three letters wrong. Names are made up like those of states.
 */
export async function benchAddresses(): Promise<void> {
  const dice = new Dice(SEED);
  const names = madeUp(dice);
  const index = await SpellingIndex.of(names);
  const texts = Array.from({ length: 2 * LOOK_UPS }, () => misspelt(dice, dice.pick(names)));
  const [warming, measured] = [texts.slice(LOOK_UPS), [...new Set(texts.slice(0, LOOK_UPS))]];
  for (const text of warming) index.find(text);
  const start = process.cpuUsage();
  let found = 0;
  for (const text of measured) found += index.find(text).length;
  const { user, system } = process.cpuUsage(start);
  figure('addresses.look_up', (user + system) / 1_000 / measured.length, 'ms', {
    wanted_ms: WANTED_MS,
    names: names.length,
    found: found / measured.length,
    index_bytes: index.byteLength,
  });
}

/** Different names, each letter of which follows the one before it in the name of some state. */
function madeUp(dice: Dice): string[] {
  const following = new Map<string, string[]>();
  for (const [state] of POSTAL_NAMES) {
    const name = ` ${state.toLowerCase()}\n`;
    for (let i = 1; i < name.length; i++) {
      following.set(name[i - 1], [...(following.get(name[i - 1]) ?? []), name[i]]);
    }
  }
  const names = new Set<string>();
  while (names.size < NAMES) {
    let name = ' ';
    while (!name.endsWith('\n')) name += dice.pick(following.get(name.slice(-1))!);
    const { length } = name.trim();
    if (length >= LEAST_LETTERS && length <= MOST_LETTERS) names.add(name.trim());
  }
  return [...names].sort();
}

function misspelt(dice: Dice, name: string): string {
  let text = name;
  for (let left = dice.below(4); left > 0; left--) {
    const at = dice.below(text.length);
    const letter = dice.pick([...name]);
    text = text.slice(0, at) + dice.pick(['', letter]) + text.slice(at + dice.below(2));
  }
  return text;
}
