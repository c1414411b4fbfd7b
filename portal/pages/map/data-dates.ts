import { dayMonthYear } from '../formats.ts';
import type { Catalogue } from './catalogue.ts';

/** Credits that a picture, a file or a page with data of a release must show. */
export const ATTRIBUTION = '© OpenStreetMap contributors (ODbL), US Census Bureau';

/**
 * Sentences on a release and the dates of its data:
 * `Release demo. Data of May 12, 2025 (streets), Jan 1, 2020 (blocks).`
 */
export function dataDates({ release, dates }: Pick<Catalogue, 'release' | 'dates'>): string {
  const days = dates.map(({ name, day }) => `${dayMonthYear(day)} (${name})`).join(', ');
  return `Release ${release}. Data of ${days}.`;
}
