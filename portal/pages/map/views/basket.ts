import { furthestClasses, metClasses } from '../measures/basket.ts';
import { basketBody } from '../paid/basket-request.ts';
import { basketRows } from '../panels/basket-legend.ts';
import { areaOf, BasketPanel } from '../panels/basket-panel.tsx';
import { groundSwatches } from '../panels/legend-swatches.ts';
import type { MapView } from './map-view.ts';

/** Blocks by the criteria of a basket. */
export const basketView: MapView = {
  name: 'Basket',
  sides: 0,
  title: ({ basketBy }) =>
    basketBy === 'met' ? 'Criteria of a basket met' : 'Minutes to the furthest of a basket',
  legend({ basketBy }, { basket }, baseMap, scheme) {
    const rows = basketRows(basketBy, basket.length, null, scheme);
    return [...rows.map(({ swatch }) => swatch), ...groundSwatches(baseMap, scheme)];
  },
  modes: ({ basket }) => basket.map((criterion) => criterion.mode),
  shown: ({ basketBy }, choice, { basket }) => ({
    of: 'classes',
    name: `basket ${basketBy} ${JSON.stringify(choice.basket)}`,
    modes: [],
    palette: 'classes',
    blocks: basket && {
      geoids: basket.blocks.geoids,
      classes: basketBy === 'met' ? metClasses(basket.basket) : furthestClasses(basket.basket),
    },
  }),
  Panel: BasketPanel,
  requests({ state, choice, basket }) {
    const area = areaOf(state, basket);
    if (area === null) return [];
    return [
      {
        name: 'Exact shares of the area',
        path: '/v1/coverage',
        operation: 'measureCoverage',
        parameters: { ...basketBody(area, choice.basket) },
        isPost: true,
        rows: 'basket',
      },
    ];
  },
};
