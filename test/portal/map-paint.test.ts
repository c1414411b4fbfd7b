import { expect, test } from 'vitest';
import { stripeOpacity } from '../../portal/pages/map/drawing/block-fills.ts';

/**
 * MapLibre fails on a tile that arrives laid out for feature state when its layer no longer has
 * any.
 */
test('the opacity of stripes depends on the state of blocks in every case', () => {
  for (const every of [true, false]) {
    expect(JSON.stringify(stripeOpacity(0.5, every))).toContain('"feature-state"');
  }
});
