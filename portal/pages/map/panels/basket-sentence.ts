import { byMode } from '../../../../shards/modes.ts';
import { count, percent } from '../../formats.ts';
import type { BasketInView, LoadedBasket } from '../blocks/use-basket.ts';
import type { Catalogue } from '../catalogue.ts';
import type { Criterion } from '../measures/basket.ts';
import { UNCOUNTED } from './uncounted.ts';

/** Name of a criterion: `Grocery stores within 15 min on foot`. */
export function criterionName(
  { typeNames }: Catalogue,
  { mode, type, minutes }: Criterion,
): string {
  return `${typeNames.get(type) ?? `type ${type}`} within ${minutes} min ${byMode(mode)}`;
}

/**
 * A sentence on the people in view who have everything in a basket, and on what the others lack
 * most often.
 */
export function basketSentence(basket: LoadedBasket, catalogue: Catalogue): string {
  return basket.state === 'here' ? tallySentence(basket.view, catalogue) : UNCOUNTED[basket.state];
}

function tallySentence({ tally, criteria }: BasketInView, catalogue: Catalogue): string {
  const { people, met, missing } = tally;
  if (people === 0) return 'No one lives in the area shown.';
  const share = percent((met.at(-1) ?? 0) / people);
  const all = criteria.length === 1 ? 'it' : `all ${criteria.length}`;
  const most = Math.max(...missing);
  const said = `${share} of ${count(people)} people in view have ${all}.`;
  if (most === 0 || criteria.length === 1) return said;
  const name = criterionName(catalogue, criteria[missing.indexOf(most)]);
  return `${said} Missing most often: ${name} (${count(most)} people).`;
}
