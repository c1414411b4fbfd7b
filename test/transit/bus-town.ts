import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import { type AvenueTrip, avenue, avenueFeed, tripFrom } from './avenue.ts';
import { buildSmallCity } from './built-city.ts';
import { type FeedTables, writeFeed } from './gtfs-text.ts';

/** Minutes after midnight. */
export const EIGHT = 8 * 60;
/**
 * Stop A is three and a half minutes from the block at 1,000 m, B two and a half from the other.
 */
const BLOCKS = [1_000, 9_160] as const;
export const STOPS = { A: 1_240, B: 9_000 };
export const RIDE = 13;
/** Whole minutes from block to block by a bus that comes half a minute after the rider is ready. */
export const TIME = Math.ceil(3.5 + 1 + 0.5 + RIDE + 2.5);

/** Trips every ten minutes for three hours from `first` on; by default from A to B. */
export function busLine(
  service = 'daily',
  first = EIGHT - 60,
  after: Readonly<Record<string, number>> = { A: 0, B: RIDE },
): AvenueTrip[] {
  return Array.from({ length: 18 }, (_, n) => ({ service, ...tripFrom(first + 10 * n, after) }));
}

export function busFeed(more: FeedTables = {}, trips = busLine()): FeedTables {
  return avenueFeed(STOPS, trips, more);
}

/**
 * The avenue with two blocks on it, for the feeds of one test file. Its files are removed at the
 * end.
 */
export class BusTown {
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'bus-town-'));

  constructor() {
    afterAll(() => rmSync(this.#folder, { recursive: true, force: true }));
  }

  /** The path for a feed of that name. */
  path(name: string): string {
    return path.join(this.#folder, name);
  }

  write(name: string, tables: FeedTables): Promise<string> {
    return writeFeed(this.path(name), tables);
  }

  /**
   * Builds with some feeds, and returns the minutes from block to block and the messages about the
   * feeds.
   */
  async build(feeds: readonly string[], serviceDate?: string) {
    const folder = await mkdtemp(this.path('build-'));
    const built = await buildSmallCity(folder, avenue(BLOCKS, [1_000]), feeds, { serviceDate });
    const reach = await built.reach();
    await built.close();
    const { assumptions, feeds: facts } = built.release.manifest;
    return {
      minutes: reach[0].get(1),
      said: built.said.join('\n'),
      assumptions,
      feeds: facts,
    };
  }

  /** The minutes from block to block with one feed. */
  async minutes(name: string, tables: FeedTables): Promise<number | undefined> {
    return (await this.build([await this.write(name, tables)])).minutes;
  }
}
