import { isFictional } from '../api/fictional.ts';
import { type Facts, type Feed, releaseFacts } from '../api/release.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { count, dateOf, dayMonthYear } from '../formats.ts';
import { Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { WideTable } from '../parts/wide-table.tsx';
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
              <Figure value={count(coverage.population)} name="people" />
              <Figure value={count(coverage.blocks)} name="census blocks" />
              <Figure
                value={`${percent(coverage.routable_blocks, coverage.blocks)}%`}
                name="of blocks near a street"
              />
              <Figure
                value={count(coverage.counties)}
                name={coverage.counties === 1 ? 'county' : 'counties'}
              />
              <Figure
                value={count(types.filter((type) => type.is_leaf).length)}
                name="destination types"
              />
              <Figure value={count(modes.length)} name={modes.map(({ mode }) => mode).join(', ')} />
            </dl>
            <WideTable label="Data sources">
              <thead>
                <tr>
                  <th scope="col">Data</th>
                  <th scope="col">Source</th>
                  <th scope="col">As of</th>
                </tr>
              </thead>
              <tbody>
                {components.map(({ component, version, effective_date }) => (
                  <tr key={component}>
                    <th scope="row">{COMPONENTS[component] ?? component}</th>
                    <td>{fictional ? 'invented' : sourcesOf(version)}</td>
                    <td class="day">{dayMonthYear(effective_date)}</td>
                  </tr>
                ))}
              </tbody>
            </WideTable>
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
      <WideTable label="Transit feeds">
        <thead>
          <tr>
            <th scope="col">Publisher</th>
            <th scope="col">File</th>
            <th scope="col">Licence</th>
            <th scope="col">Read for</th>
            <th scope="col" class="number">
              Trips
            </th>
            <th scope="col">Note</th>
          </tr>
        </thead>
        <tbody>
          {feeds.map(({ file, publisher, licence, service_date, trips, status, reason }, i) => (
            <tr key={i}>
              <th scope="row">{publisher ?? 'not known'}</th>
              <td>{file}</td>
              <td>
                <Licence text={licence} />
              </td>
              <td class="day">{service_date === null ? '–' : dayMonthYear(service_date)}</td>
              <td class="number">{trips === null ? '–' : count(trips)}</td>
              <td>{[status === 'left-out' && 'Left out', reason].filter(Boolean).join(': ')}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
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
  const countBefore = (value: number | null) =>
    before !== null && <td class="number">{value === null ? '–' : count(value)}</td>;
  const names = new Map(types.map(({ dest_type_id, name }) => [dest_type_id, name]));
  return (
    <details class="behind">
      <summary>
        {count(pois.reduce((sum, type) => sum + type.pois, 0))} points of interest by type, and
        blocks without streets
      </summary>
      <WideTable label="What the release holds">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col" class="number">
              Now
            </th>
            {before !== null && (
              <th scope="col" class="number">
                Release before
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {pois.map(({ dest_type_id, label, pois: now, pois_before }) => (
            <tr key={dest_type_id}>
              <th scope="row">{names.get(dest_type_id) ?? label}</th>
              <td class="number">{count(now)}</td>
              {countBefore(pois_before)}
            </tr>
          ))}
          {blocks_without_streets.map(({ mode, reason, blocks, blocks_before }) => (
            <tr key={`${mode} ${reason}`}>
              <th scope="row">
                Blocks without streets ({mode}): {UNLINKED[reason]}
              </th>
              <td class="number">{count(blocks)}</td>
              {countBefore(blocks_before)}
            </tr>
          ))}
        </tbody>
      </WideTable>
    </details>
  );
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

function Figure({ value, name }: { readonly value: string; readonly name: string }) {
  return (
    <div>
      <dd>{value}</dd>
      <dt>{name}</dt>
    </div>
  );
}

/** A share with one decimal, never rounded up to all or down to none. */
function percent(part: number, whole: number): string {
  if (whole === 0) return '0';
  const tenths = Math.round((1000 * part) / whole);
  const bounded = Math.min(Math.max(tenths, part > 0 ? 1 : 0), part < whole ? 999 : 1000);
  return String(bounded / 10);
}
