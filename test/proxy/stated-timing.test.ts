import { expect, test } from 'vitest';
import { statedTiming } from '../../proxy/queries/modes-and-types.ts';
import { MODE_LABELS } from '../../shards/modes.ts';
import type { Release } from '../../shards/release/release.ts';

test('responses by transit, with steps or without, state their window and percentile', () => {
  const timing = { departure: 'midday', percentile: 50 };
  const release = { manifest: { windows: [] }, timing } as unknown as Release;
  const stating = MODE_LABELS.filter((mode) => 'departure' in statedTiming(release, [mode]));
  expect(stating).toEqual(['transit', 'transit_step_free']);
});
