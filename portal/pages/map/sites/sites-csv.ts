import { SITE_MINUTES, type SitesCoverage } from '../paid/sites-request.ts';

/** The tables of measured sites as CSV: a row for the area, each site and candidate. */
export async function sitesCsv({ results, sites, gains, chosen }: SitesCoverage): Promise<string> {
  const { default: Papa } = await import('papaparse');
  const [area] = results;
  const rank = new Map(chosen.map(({ id }, i) => [id, i + 1]));
  const sums = (of: Readonly<Record<string, unknown>>) =>
    SITE_MINUTES.map((minutes) => of[minutes]);
  const rows = [
    ['of', 'id', 'block', 'weight', ...SITE_MINUTES.map((one) => `within_${one}`), 'chosen'],
    ['area', '', '', area.weight, ...sums(area.within), ''],
    ...sites.map((one) => ['site', one.id, one.block, area.weight, ...sums(one.within), '']),
    ...gains.map((one) => [
      'candidate_gain',
      one.id,
      one.block,
      area.weight,
      ...sums(one.gain),
      rank.get(one.id) ?? '',
    ]),
  ];
  return `${Papa.unparse(rows)}\r\n`;
}
