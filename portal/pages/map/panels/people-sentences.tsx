import type { LoadedArea } from '../blocks/area-blocks.ts';
import type { LoadedInView } from '../blocks/use-in-view.ts';
import { UNCOUNTED } from './words.tsx';

/** Says what some sums are; `where` follows the word people: `in view`, `in Port Meridian`. */
type Say<Sums> = (sums: Sums, where: string) => string;

/** Sentences on the blocks in view, or on why they are not counted; then on the chosen area. */
export function sentencesOf<Of, Sums>(
  loaded: LoadedInView<Of, Sums>,
  area: LoadedArea,
  say: Say<Sums>,
): readonly string[] {
  if (loaded.state !== 'here') return [UNCOUNTED[loaded.state]];
  const { sums, inArea } = loaded.value;
  const ofArea = inArea !== null && area.value ? [say(inArea, `in ${area.value.name}`)] : [];
  return [say(sums, 'in view'), ...ofArea];
}

/** The most particular of the sentences of `sentencesOf`; null while nothing is counted. */
export function summaryOf<Of, Sums>(
  loaded: LoadedInView<Of, Sums>,
  area: LoadedArea,
  say: Say<Sums>,
): string | null {
  return loaded.value ? sentencesOf(loaded, area, say).at(-1)! : null;
}

export function Sentences({ of }: { readonly of: readonly string[] }) {
  return of.map((sentence, i) => (
    <p key={i} role="status" class={i === 0 ? 'people-sum' : ''}>
      {sentence}
    </p>
  ));
}
