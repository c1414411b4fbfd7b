import { grouped, markdown, replaceTables } from './document-tables.ts';
import type { EnginesCity, EnginesRecord, Kind, Rules } from './engines-record.ts';

type Compared = EnginesCity['compared'][number];

/** Returns a document with the tables of the comparison anew. */
export function withEngineTables(document: string, record: EnginesRecord): string {
  return replaceTables(document, {
    engines: summary(record),
    'engines-rules': byRule(record),
    'engines-switched': switched(record),
  });
}

/** The rules of R5 that could matter for a kind of trips. */
const RELEVANT: Readonly<Record<Kind, readonly Rules[]>> = {
  walk: ['as shipped', 'private-ground', 'all five'],
  'step-free': ['as shipped', 'private-ground', 'all five'],
  bike: ['as shipped', 'private-ground', 'bike-links', 'stress', 'all five'],
  'bike, any stress': ['as shipped', 'private-ground', 'bike-links', 'all five'],
  ridden: ['as shipped', 'private-ground', 'station-levels', 'pathways', 'all five'],
  'ridden, median': ['as shipped', 'all five'],
  'ridden from 7:00': ['as shipped', 'all five'],
  'not ridden': ['as shipped', 'private-ground', 'all five'],
};

/** Kinds of trips that only the table by rule has. */
const DETAILS: readonly Kind[] = [
  'bike, any stress',
  'ridden, median',
  'ridden from 7:00',
  'not ridden',
];

/** One row for each engine and mode: as shipped, and by the five rules of R5. */
function summary({ date, commit, machine, cities }: EnginesRecord): string {
  const rows = cities.flatMap(({ place, compared }) =>
    compared
      .filter(({ rules, kind }) => rules === 'as shipped' && !DETAILS.includes(kind))
      .map((one) => {
        const like = compared.find(
          ({ engine, kind, rules }) =>
            engine === one.engine && kind === one.kind && rules === 'all five',
        );
        return [
          place,
          one.engine,
          modeOf(one.kind),
          grouped(one.pairs),
          percent(agreementOf(one)),
          like ? percent(agreementOf(like)) : '',
          minutes(one.median),
        ];
      }),
  );
  const head = ['city', 'engine', 'mode', 'pairs', 'agree as shipped', 'by R5’s rules', 'median'];
  const speeds = cities.map(
    ({ place, speed: { targets, r5, ours } }) =>
      `${place} to ${grouped(targets)} targets: R5 4.8.1 ${r5.toFixed(1)} ms, here ${ours.toFixed(1)} ms (${(r5 / ours).toFixed(0)} times)`,
  );
  const inputs = cities.map(
    ({ place, map, feeds, origins }) => `${place}: streets of ${map}, ${feeds}; ${origins} origins`,
  );
  return `${markdown(head, rows, 3)}\n${inputs.join('. ')}. Processor time of an origin by walk, bike and transit, one thread: ${speeds.join('; ')}. Measured on ${date}, commit ${commit}, ${machine}.\n\n`;
}

/** Walks agree within a tenth or a minute, other trips within a tenth or two minutes. */
function agreementOf({ kind, within10or1, within10or2 }: Compared): number {
  return kind === 'walk' || kind === 'step-free' ? within10or1 : within10or2;
}

function byRule({ cities }: EnginesRecord): string {
  const rows = cities.flatMap(({ place, compared }) =>
    compared
      .filter(({ kind, rules }) => RELEVANT[kind].includes(rules))
      .toSorted((a, b) => order(compared, a) - order(compared, b))
      .map((one) => [
        place,
        one.engine,
        modeOf(one.kind),
        one.rules,
        grouped(one.pairs),
        ...[one.within1, one.within10, one.within10or1, one.within10or2].map(percent),
        ...[one.mean, one.median, one.p5, one.p95].map(minutes),
        `${grouped(one.oursOnly)}, ${grouped(one.theirsOnly)}`,
      ]),
  );
  const head = [
    ...['city', 'engine', 'mode', 'rules of R5', 'pairs'],
    ...['1 min', '10 %', '10 % or 1 min', '10 % or 2 min'],
    ...['mean', 'median', '5th', '95th percentile', 'only here, only there'],
  ];
  return `${markdown(head, rows, 4)}\n`;
}

/** Rows of one engine and mode together, in the order in which they were first compared. */
function order(compared: readonly Compared[], row: Compared): number {
  return compared.findIndex(({ engine, kind }) => engine === row.engine && kind === row.kind);
}

function switched({ cities }: EnginesRecord): string {
  const rows = cities.flatMap(({ place, switched: all }) =>
    all
      .filter(({ kind, rules }) => RELEVANT[kind].includes(rules))
      .map(({ kind, rules, pairs, within1, within10or2, mean, p5, p95, oursOnly, theirsOnly }) => [
        place,
        rules,
        modeOf(kind),
        grouped(pairs),
        ...[100 - within1, 100 - within10or2].map(percent),
        ...[mean, p5, p95].map(minutes),
        `${grouped(oursOnly)}, ${grouped(theirsOnly)}`,
      ]),
  );
  const head = [
    ...['city', 'rule of R5', 'mode', 'pairs', 'moved by over 1 min', 'over 10 % and 2 min'],
    ...['mean', '5th', '95th percentile', 'gained, lost'],
  ];
  return `${markdown(head, rows, 3)}\n`;
}

function modeOf(kind: Kind): string {
  return kind.includes('ridden') ? `transit, ${kind}` : kind;
}

function percent(value: number): string {
  return `${value.toFixed(1)} %`;
}

function minutes(value: number): string {
  return `${value.toFixed(2).replace('-', '−')} min`;
}
