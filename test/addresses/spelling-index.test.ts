import { expect, test } from 'vitest';
import { SpellingIndex } from '../../proxy/queries/addresses/spelling-index.ts';
import { editDistance } from '../../shards/folded-text.ts';
import { Dice } from '../transit/dice.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const LETTERS = [...'aaabcde lmz15é'];

/** Every name, compared as the reference of the search says. */
function plainly(names: readonly string[], text: string) {
  const key = text.replaceAll(' ', '');
  const isNumber = (one: string) => /^[0-9]/.test(one);
  const most = key.length < 3 ? 0 : key.length < 5 ? 1 : 2;
  return names
    .map((name, position) => ({ name: name.replaceAll(' ', ''), position }))
    .filter(({ name }) => name === key || !(isNumber(name) || isNumber(key)))
    .map(({ name, position }) => ({ position, edits: editDistance(name, key) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
}

test('the names found are those within a letter or two, of any lengths and in any order', async () => {
  const dice = new Dice(seed);
  const word = (longest: number) =>
    Array.from({ length: dice.below(longest + 1) }, () => dice.pick(LETTERS)).join('');
  const misspelt = (text: string) => {
    const at = dice.below(text.length + 1);
    const [before, after] = [text.slice(0, at), text.slice(at)];
    const exchanged = after.slice(1, 2) + after.slice(0, 1) + after.slice(2);
    const letter = dice.pick(LETTERS);
    return before + dice.pick([letter + after, after.slice(1), letter + after.slice(1), exchanged]);
  };
  let similar = 0;
  for (let round = 0; round < 40; round++) {
    const list = Array.from({ length: dice.below(200) }, () => word(dice.pick([3, 6, 9, 40])));
    const names = [...list, ...list.map(misspelt), ...list.map(misspelt).map(misspelt)];
    const index = await SpellingIndex.of(names);
    for (let i = 0; i < 40; i++) {
      const near = names.length > 0 && i > 3 ? dice.pick(names) : word(8);
      const text = dice.pick([near, misspelt(near), misspelt(misspelt(near))]);
      const wanted = plainly(names, text);
      similar += wanted.length;
      // The second time, the result may have been kept.
      for (const found of [index.find(text), index.find(text)]) {
        expect({ seed, text, found }).toEqual({ seed, text, found: wanted });
      }
    }
  }
  expect(similar).toBeGreaterThan(3_000);
});
