import { type Facts, type Feed, isFictional, releaseFacts } from '../api/release.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { count, dateOf, dayMonthYear } from '../formats.ts';
import { Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { type Column, WideTable } from '../parts/tables.tsx';
import { sourcesOf } from './data-sources.ts';

const COMPONENTS: Readonly<Record<string, string>> = {
  road_network: 'Streets and paths',
  transit_network: 'Timetables',
  pois: 'Points of interest',
  blocks: 'Census blocks',
  parks: 'Parks',
};

export function ReleaseFacts() {
  const facts = useLoaded(async () => ({
    ...(await releaseFacts()),
    fictional: await isFictional(),
  }));
  return (
    <Section id="facts" title="Data in this release" class="facts">
      <Shown of={facts} what="release details">
        {({
          fictional,
          release,
          last_updated,
          components,
          coverage,
          feeds,
          modes,
          types,
          ...notes
        }) => (
          <>
            <dl class="fact-figures">
              {figuresOf(coverage, types, modes).map(([value, name]) => (
                <div key={name}>
                  <dd>{value}</dd>
                  <dt>{name}</dt>
                </div>
              ))}
            </dl>
            <WideTable
              label="Data sources"
              rows={components}
              columns={[
                ['Data', ({ component }) => COMPONENTS[component] ?? component],
                ['Source', ({ version }) => (fictional ? 'invented' : sourcesOf(version))],
                ['As of', ({ effective_date }) => dayMonthYear(effective_date), 'day'],
              ]}
            />
            {feeds.length > 0 && <Feeds feeds={feeds} />}
            <Holdings {...notes} types={types} />
            <Changes {...notes} />
            <details class="behind versions">
              <summary>
                Release {release}, published {dateOf(last_updated)}: versions
              </summary>
              <dl>
                {components.map(({ component, version }) => (
                  <div key={component}>
                    <dt>{COMPONENTS[component] ?? component}</dt>
                    <dd class="mono">{version}</dd>
                  </div>
                ))}
              </dl>
            </details>
          </>
        )}
      </Shown>
    </Section>
  );
}

const FEED_STATES: readonly (readonly [Feed['status'], string])[] = [
  ['used', 'used'],
  ['empty-in-window', 'without trips in the window'],
  ['left-out', 'left out'],
];

/** The transit feeds of the release, with those that are left out or have little service. */
function Feeds({ feeds }: { readonly feeds: readonly Feed[] }) {
  const counts = FEED_STATES.map(([state, words]) => {
    const some = feeds.filter(({ status }) => status === state).length;
    return some === 0 ? null : `${count(some)} ${words}`;
  });
  return (
    <details class="behind feeds">
      <summary>Transit feeds: {counts.filter(Boolean).join(', ')}</summary>
      <WideTable
        label="Transit feeds"
        rows={feeds}
        columns={[
          ['Publisher', ({ publisher }) => publisher ?? 'not known'],
          ['File', ({ file }) => file],
          ['Licence', ({ licence }) => <Licence text={licence} />],
          ['Read for', ({ service_date: day }) => (day === null ? '–' : dayMonthYear(day)), 'day'],
          ['Trips', ({ trips }) => countOf(trips), 'number'],
          [
            'Note',
            ({ status, reason }) =>
              [status === 'left-out' && 'Left out', reason].filter(Boolean).join(': '),
          ],
        ]}
      />
    </details>
  );
}

const UNLINKED: Readonly<Record<string, string>> = {
  'no-street-near': 'No street is near',
  'outside-street-data': 'The street data does not reach them',
  'not-on-mode-network': 'The streets nearby are closed to the mode, or lead nowhere',
};

/**
 * POIs by type, and blocks without streets by reason, beside those of the release before, if there
 * was one.
 */
function Holdings({
  pois,
  blocks_without_streets,
  types,
  before,
}: Pick<Facts, 'pois' | 'blocks_without_streets' | 'types' | 'before'>) {
  if (pois === null || blocks_without_streets === null) return null;
  const names = new Map(types.map(({ dest_type_id, name }) => [dest_type_id, name]));
  const rows = [
    ...pois.map(({ dest_type_id, label, pois: now, pois_before }) => ({
      name: names.get(dest_type_id) ?? label,
      now,
      was: pois_before,
    })),
    ...blocks_without_streets.map(({ mode, reason, blocks, blocks_before }) => ({
      name: `Blocks without streets (${mode}): ${UNLINKED[reason]}`,
      now: blocks,
      was: blocks_before,
    })),
  ];
  const columns: Column<(typeof rows)[number]>[] = [
    ['What', ({ name }) => name],
    ['Now', ({ now }) => count(now), 'number'],
  ];
  if (before !== null) columns.push(['Release before', ({ was }) => countOf(was), 'number']);
  return (
    <details class="behind">
      <summary>
        {count(pois.reduce((sum, type) => sum + type.pois, 0))} points of interest by type, and
        blocks without streets
      </summary>
      <WideTable label="What the release holds" rows={rows} columns={columns} />
    </details>
  );
}

function countOf(value: number | null): string {
  return value === null ? '–' : count(value);
}

function Changes({ before, changes }: Pick<Facts, 'before' | 'changes'>) {
  if (before === null || changes === null) return null;
  const { counties, feeds, cut_off, times } = changes;
  return (
    <details class="behind">
      <summary>
        Changes since release {before}: {count(counties.changed)} of {count(counties.both)} counties
      </summary>
      <ul>
        {counties.added.length > 0 && <li>Counties added: {counties.added.join(', ')}</li>}
        {counties.gone.length > 0 && <li>Counties gone: {counties.gone.join(', ')}</li>}
        {feeds.added.length > 0 && <li>Feeds added: {feeds.added.join(', ')}</li>}
        {feeds.lost.map(({ file, reason }) => (
          <li key={file}>
            Feed lost: {file} ({reason ?? 'not among the inputs'})
          </li>
        ))}
        {cut_off.map(({ county, blocks }) => (
          <li key={county}>
            County {county}: {count(blocks)} blocks lost their streets
          </li>
        ))}
        <li>
          {percent(times.moved, times.compared)}% of the times to the nearest moved,{' '}
          {percent(times.moved_much, times.compared)}% by five minutes or more, or came or went
        </li>
      </ul>
    </details>
  );
}

/** A licence, as a link if it is stated by an address. */
function Licence({ text }: { readonly text: string | null }) {
  if (text === null) return 'none stated';
  if (!/^https?:/.test(text) || !URL.canParse(text)) return text;
  return (
    <a href={text} rel="nofollow">
      {new URL(text).host}
    </a>
  );
}

function figuresOf(
  { population, blocks, routable_blocks, counties }: Facts['coverage'],
  types: Facts['types'],
  modes: Facts['modes'],
) {
  return [
    [count(population), 'people'],
    [count(blocks), 'census blocks'],
    [`${percent(routable_blocks, blocks)}%`, 'of blocks near a street'],
    [count(counties), counties === 1 ? 'county' : 'counties'],
    [count(types.filter(({ is_leaf }) => is_leaf).length), 'destination types'],
    [count(modes.length), modes.map(({ mode }) => mode).join(', ')],
  ] as const;
}

/** A share with one decimal, never rounded up to all or down to none. */
function percent(part: number, whole: number): string {
  if (whole === 0) return '0';
  const tenths = Math.round((1000 * part) / whole);
  const bounded = Math.min(Math.max(tenths, part > 0 ? 1 : 0), part < whole ? 999 : 1000);
  return String(bounded / 10);
}
