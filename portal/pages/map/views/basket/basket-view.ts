import { onRequest } from '../../../parts/failed-script.tsx';
import { chosenOr } from '../../blocks/area-blocks.ts';
import { classWords } from '../../blocks/block-bands.ts';
import { criteriaMet, furthestClasses, metClasses } from '../../measures/basket.ts';
import { groundSwatches } from '../../panels/legend-swatches.ts';
import { summaryOf } from '../../panels/people-sentences.tsx';
import type { MapView } from '../map-view.ts';
import { basketRows, countiesOf, sayBasket } from './basket-legend.ts';
import { basketBody, timesOf } from './basket-request.ts';

export const basketView: MapView = {
  name: 'Basket',
  sides: 0,
  title: ({ state: { basketBy } }) =>
    basketBy === 'met' ? 'Criteria of a basket met' : 'Minutes to the furthest of a basket',
  summary: ({ basket, area, catalogue }) => summaryOf(basket, area, sayBasket(basket, catalogue)),
  legend({ state, choice, catalogue, scheme }) {
    const rows = basketRows(state.basketBy, choice.basket.length, null, scheme);
    return [...rows.map(({ swatch }) => swatch), ...groundSwatches(catalogue.baseMap, scheme)];
  },
  modes: ({ basket }) => basket.map((criterion) => criterion.mode),
  shown({ catalogue, state: { basketBy }, choice, basket }) {
    const classesOf = basketBy === 'met' ? metClasses : furthestClasses;
    return {
      of: 'classes',
      name: `basket ${basketBy} ${JSON.stringify(choice.basket)}`,
      modes: [],
      pois: catalogue.poisOf(
        choice.basket.map(({ type }) => type),
        choice.basket.map(({ mode }) => mode),
      ),
      blocks:
        basket.state === 'here'
          ? { geoids: basket.view.blocks.geoids, classes: classesOf(basket.view.of.basket) }
          : null,
    };
  },
  minutesOf({ state: { basketBy }, basket }, geoid) {
    if (basket.state !== 'here') return null;
    const { blocks, of } = basket.view;
    const at = blocks.geoids.indexOf(geoid);
    if (at === -1) return null;
    if (basketBy === 'furthest') return `furthest ${classWords(of.basket.furthest[at])}`;
    const met = criteriaMet(of.basket, at);
    return met === null ? 'not known' : `${met} of ${of.criteria.length} met`;
  },
  Panel: onRequest('the view', async () => (await import('./basket-panel.tsx')).BasketPanel),
  requests({ choice, basket, area }) {
    const summed = chosenOr(area, countiesOf(basket)[0]);
    if (summed === null) return [];
    return [
      {
        name: 'Exact shares of the area',
        operation: 'measureCoverage',
        parameters: { ...basketBody(summed.body, choice.basket, timesOf(choice)) },
        rows: 'basket',
      },
    ];
  },
};
