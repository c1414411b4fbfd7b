import type { LoadedArea } from '../blocks/area-blocks.ts';
import type { InView, LoadedInView } from '../blocks/use-in-view.ts';
import { UNCOUNTED } from './words.tsx';

/** Says what some sums are; `where` follows the word people: `in view`, `in Port Meridian`. */
export type Say<Sums> = (sums: Sums, where: string) => string;

/**
 * Sentences on the blocks in view, or on why they are not counted; then on the chosen area, which
 * are the most particular.
 */
export function sentencesOf<Of, Sums>(
  loaded: LoadedInView<Of, Sums>,
  area: LoadedArea,
  sayOf: (view: InView<Of, Sums>) => Say<Sums>,
): readonly string[] {
  if (loaded.state !== 'here') return [UNCOUNTED[loaded.state]];
  const { sums, inArea } = loaded.value;
  const say = sayOf(loaded.value);
  const ofArea = inArea !== null && area.value ? [say(inArea, `in ${area.value.name}`)] : [];
  return [say(sums, 'in view'), ...ofArea];
}

export function Sentences({ of }: { readonly of: readonly string[] }) {
  return of.map((sentence, i) => (
    <p key={i} role="status" class={i === 0 ? 'people-sum' : ''}>
      {sentence}
    </p>
  ));
}
