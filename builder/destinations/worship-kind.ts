import type { Tags } from '../osm/tags.ts';

/** Where the clergy live, and nobody is asked to come in. */
const DWELLING = /\b(?:convent|rectory|parsonage|vicarage|manse)\b/i;
const HALL =
  /\b(?:church|chapel|cathedral|basilica|shrine|tabernacle|temple|ministr(?:y|ies)|congregation)\b/i;

/** Words of names by the leaf that they are of; those of the first that has any count. */
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

/** Whether a place of worship is one to visit, by its name. */
export function isVisited(tags: Tags): boolean {
  const name = tags.get('name') ?? '';
  return !DWELLING.test(name) || HALL.test(name);
}

/** The label of the leaf that a place of worship is of whose religion no tag tells, by its name. */
export function worshipByName(tags: Tags): string {
  const name = tags.get('name') ?? '';
  return WORDS.find(([, words]) => words.test(name))?.[0] ?? 'other_worship';
}
