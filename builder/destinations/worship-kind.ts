import type { Tags } from '../osm/tags.ts';

/** Homes of the clergy, which are not open to visitors. */
const DWELLING = /\b(?:convent|rectory|parsonage|vicarage|manse)\b/i;
const HALL =
  /\b(?:church|chapel|cathedral|basilica|shrine|tabernacle|temple|ministr(?:y|ies)|congregation)\b/i;

/** Words in names by leaf; the first leaf with any match counts. */
const WORDS: readonly (readonly [label: string, words: RegExp])[] = [
  ['other_worship', /\b(?:unitarian|universalist|scientology|spiritualist|interfaith)\b/i],
  ['mosques', /\b(?:mosque|masjid|islamic|muslim)\b/i],
  ['temples', /\b(?:buddhist|hindu|sikh|gurdwara|mandir|jain|zen|vihara|taoist|shinto|dharma)\b/i],
  [
    'synagogues',
    /\b(?:synagogue|shul|chabad|jewish|hebrew congregation|b['’]?nai|temple (?:beth|israel|emanu-?el|sinai))\b/i,
  ],
  [
    'churches',
    new RegExp(
      [
        String.raw`\b(?:church|chapel|cathedral|basilica|tabernacle|kingdom hall|meeting ?house|iglesia)\b`,
        String.raw`\b(?:christian|christ|jesus|gospel|evangelical|deliverance|ministr(?:y|ies))\b`,
        String.raw`\b(?:catholic|baptist|methodist|lutheran|presbyterian|episcopal|pentecostal|apostolic|orthodox|adventist)\b`,
      ].join('|'),
      'i',
    ),
  ],
];

/** Whether a place of worship can be visited, by its name. */
export function isVisited(tags: Tags): boolean {
  const name = tags.get('name') ?? '';
  return !DWELLING.test(name) || HALL.test(name);
}

/** The label of the leaf of a place of worship without a religion tag, by its name. */
export function worshipByName(tags: Tags): string {
  const name = tags.get('name') ?? '';
  return WORDS.find(([, words]) => words.test(name))?.[0] ?? 'other_worship';
}
