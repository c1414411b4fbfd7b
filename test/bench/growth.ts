import path from 'node:path';
import type { DemoPreset } from '../../infra/demo/write-demo-city.ts';
import { exponentOf, figure } from './figure.ts';
import { demoCity } from './inputs.ts';
import { type Crossing, writeTowns } from './towns.ts';
import { type TimedSearches, timeSearches } from './transit-routing.ts';

const CITIES = [2_500, 5_000, 10_000, 20_000];
const PRESETS: readonly DemoPreset[] = ['city', 'metropolis'];
const TOWNS = [8, 16, 32, 64];
const CROSSINGS: readonly Crossing[] = ['train', 'ferry lines', 'mapped ferries'];

/**
 * Measures how searches grow: with cities and the density of their transit, with the calls of a
 * train, and with chains of islands. Each series ends with the exponents of the power laws that fit
 * the times by the targets of the region: 1 is linear.
 */
export async function benchGrowth(folder: string): Promise<void> {
  for (const preset of PRESETS) {
    const series: TimedSearches[] = [];
    for (const blocks of CITIES) {
      series.push(await timeSearches(await demoCity({ blocks, seed: 1, preset }, folder)));
    }
    report(preset, series);
  }
  for (const crossing of CROSSINGS) {
    const series: TimedSearches[] = [];
    for (const towns of TOWNS) {
      const out = path.join(folder, `${crossing.replace(' ', '-')}-${towns}`);
      series.push(await timeSearches(await writeTowns(towns, crossing, out)));
    }
    report(crossing, series);
  }
}

function report(series: string, all: readonly TimedSearches[]): void {
  for (const { allMs, linkSeconds, ...about } of all) {
    const { targets, stops, calls, reached } = about;
    const size = { series, targets, stops, calls, reached: Math.round(reached) };
    figure('growth.origin', allMs, 'ms', size);
    figure('growth.linking', linkSeconds, 's', size);
  }
  const about = { series, wanted: 1 };
  const searches = all.map(({ targets, allMs }) => [targets, allMs] as const);
  figure('growth.origin.exponent', exponentOf(searches), '', about);
  const linkings = all.map(({ targets, linkSeconds }) => [targets, linkSeconds] as const);
  figure('growth.linking.exponent', exponentOf(linkings), '', about);
}
