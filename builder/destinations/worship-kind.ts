import { foldText } from '../../shards/folded-text.ts';
import type { Tags } from '../osm/tags.ts';

/** Homes of the clergy, which are not open to visitors. */
const DWELLING =
  /\b(?:convent|convento|rectory|parsonage|vicarage|manse|novitiate|clergy house|priests?['’]?s? (?:house|residence)|sisters['’]? residence)\b/;
const HALL =
  /\b(?:church|chapel|cathedral|basilica|shrine|tabernacle|temple|iglesia|capilla|ministr(?:y|ies)|congregation)\b/;

/** Words in names, without accents, by leaf; the first leaf with any match counts. */
const WORDS: readonly (readonly [label: string, words: RegExp])[] = [
  [
    'other_worship',
    /\b(?:unitarian|universalist|scientology|spiritualist|interfaith|baha['’]?i)\b/,
  ],
  [
    'mosques',
    /\b(?:mosque|masjid|islamic|muslim|musall?ah?|jama['’]?at|jami['’]?|dar (?:al|ul|us)|ahl(?:ul)? bayt)\b/,
  ],
  [
    'temples',
    matching(
      'buddhist|hindu|sikh|guru?dwara|mandir|jain|zen|vihara|taoist|shinto|dharma|sangha|pagoda',
      '(?:hare )?krishna|iskcon|swaminarayan|vedanta|nichiren|tenrikyo|^wat(?= )|^chua(?= )',
    ),
  ],
  [
    'synagogues',
    matching(
      "synagogue|shul|chabad|jewish|hebrew congregation|b['’]?nai|temple (?:israel|emanu-?el|sinai)",
      '(?:beth|beis|bais)(?= )(?!.* (?:church|chapel|baptist|lutheran|methodist))',
      'agudath?|anshe|adath|kehill?ah?|kehillat|minyan|young israel|ohr(?= )',
    ),
  ],
  [
    'churches',
    matching(
      'church|chapel|cathedral|basilica|tabernacle|kingdom hall|meeting ?house|friends meeting',
      'iglesia|igreja|eglise|capilla|parroquia|parish|templo|asambleas? de dios|assembl(?:y|ies) of god',
      'christian|christ|jesus|cristian[ao]|cristo|gospel|evangelical|evangelic[ao]|deliverance',
      'ministr(?:y|ies)|ministerios?|(?:worship|praise) (?:center|centre)|house of (?:prayer|praise|god)',
      'catholic|baptist|methodist|lutheran|presbyterian|episcopal|pentecostal(?:es)?|apostolic',
      "orthodox|adventist|nazarene|mennonite|quaker|salvation army|a\\.?m\\.?e\\.? zion|jehovah['’]?s",
      'calvary|our lady|our savio(?:u)?r|sacred heart|immaculate|holy \\w+|latter[- ]day saints',
      '^(?:the )?(?:saints?|sts?|ss)(?=\\.? \\w)',
    ),
  ],
];

function matching(...words: readonly string[]): RegExp {
  return new RegExp(`(?<!\\w)(?:${words.join('|')})(?!\\w)`);
}

/** Whether a place of worship can be visited, by its name. */
export function isVisited(tags: Tags): boolean {
  const name = nameOf(tags);
  return !DWELLING.test(name) || HALL.test(name);
}

/** The label of the leaf of a place of worship without a religion tag, by its name. */
export function worshipByName(tags: Tags): string {
  const name = nameOf(tags);
  return WORDS.find(([, words]) => words.test(name))?.[0] ?? 'other_worship';
}

function nameOf(tags: Tags): string {
  return foldText(tags.get('name') ?? '');
}
