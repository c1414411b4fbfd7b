import type { StyleSpecification } from 'maplibre-gl';
import { expect, test } from 'vitest';
import { stripeOpacity } from '../../portal/pages/map/drawing/block-fills.ts';
import { mapStyle } from '../../portal/pages/map/drawing/paint.ts';

/**
 * MapLibre fails on a tile that arrives laid out for feature state when its layer no longer has
 * any.
 */
test('the opacity of stripes depends on the state of blocks in every case', () => {
  for (const every of [true, false]) {
    expect(JSON.stringify(stripeOpacity(0.5, every))).toContain('"feature-state"');
  }
});

test('the outline of an area is over the streets and under every label', () => {
  const style: StyleSpecification = {
    version: 8,
    sources: {},
    layers: [
      { id: 'names of streets', type: 'symbol', source: 'base' },
      { id: 'streets', type: 'line', source: 'base' },
      { id: 'names of places', type: 'symbol', source: 'base' },
    ],
  };
  const archives = { blocksUrl: '/blocks', bandsUrl: '/bands', baseMap: { style } };
  const outlines = { selected: null, a: null, b: null, area: null };
  const shown = { of: 'bands', bandsUrl: '/bands', modes: [], pois: [] } as const;
  const look = { shown, outlines, opacity: 0.5, scheme: 'light' } as const;
  const drawn = mapStyle(archives, look, true).layers.map(({ id }) => id);
  const order = ['streets', 'area', 'names of streets', 'names of places', 'selected'];
  expect(drawn.filter((id) => order.includes(id))).toEqual(order);
});
