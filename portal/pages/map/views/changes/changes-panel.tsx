import { useEffect } from 'preact/hooks';
import type { DataOf } from '../../../../client/src/index.ts';
import { keylessClient } from '../../../api/clients.ts';
import { useApiAddress } from '../../../api/portal.ts';
import { useLoaded } from '../../../api/use-loaded.ts';
import { count, dateOf, percent } from '../../../formats.ts';
import { Notice } from '../../../parts/notice.tsx';
import type { ChangedBands } from '../../blocks/measures.ts';
import { mapTitle } from '../../catalogue/mode-words.ts';
import { Paid } from '../../paid/paid.tsx';
import { Choose, ModeChoice, TypeChoice } from '../../panels/choices.tsx';
import { SumsTable } from '../../panels/sums-table.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { MarginNote } from '../../panels/words.tsx';
import { useMap } from '../../state/map-context.ts';
import { PeopleInView } from '../free-view.tsx';
import type { Viewed } from '../map-view.ts';
import { changes, exactChanges } from './changes-view.ts';

type Listed = DataOf<'getReleases'>['releases'][number];

/** Panel of how minutes differ between two releases: in classes, free, and exact for tokens. */
export function ChangesPanel(viewed: Viewed) {
  const { state, choice, inView } = viewed;
  const { change } = useMap();
  const { mode, type } = choice;
  const title = mapTitle(mode, type.name);
  const { lacking = [] } = (inView.value?.of ?? {}) as Partial<ChangedBands>;
  return (
    <section class="view" aria-labelledby="changes">
      <h2 id="changes">What changed: {title}</h2>
      <ReleaseChoice />
      <div class="map-choices">
        <ModeChoice mode={mode} onMode={(next) => change({ mode: next })} />
        <TypeChoice type={type.id} onType={(next) => change({ type: next })} />
      </div>
      <TransitTimes modes={[mode]} />
      {lacking.map((release) => (
        <Notice key={release} kind="plain">
          {release} is no longer in the store, or has no such times.
        </Notice>
      ))}
      {state.before !== null && (
        <>
          <p class="quiet">
            In classes of five minutes, so a change within one is not seen. People and blocks are
            those of the current release.
          </p>
          <PeopleInView
            of={changes}
            viewed={viewed}
            caption={`${title}: people in view by change`}
            by="Change"
            isShort
          >
            <ExactChanges {...viewed} />
          </PeopleInView>
        </>
      )}
      <Recipe />
    </section>
  );
}

/** The choice of two of the releases that the API lists; of the last two at first. */
function ReleaseChoice() {
  const { state, change } = useMap();
  const { before, after } = state;
  const listed = useLoaded(async () => (await keylessClient.getReleases({})).data.releases);
  const releases = listed.value;
  useEffect(() => {
    if (releases === null || releases.length < 2 || (before !== null && after !== null)) return;
    change({ before: before ?? releases[1].version, after: after ?? releases[0].version });
  }, [releases, before, after]);
  if (listed.state === 'failed') {
    return <Notice kind="fault">The releases could not be loaded. Trying again …</Notice>;
  }
  if (releases === null) return null;
  if (releases.length < 2) {
    return <p role="status">There is no other release to compare with.</p>;
  }
  const known = new Set(releases.map(({ version }) => version));
  const all = releases.map((one) => [one.version, nameOf(one, releases)] as const);
  const sides = [
    ['Before', before, (version: string) => change({ before: version })],
    ['After', after, (version: string) => change({ after: version })],
  ] as const;
  return (
    <div class="stacked-choices">
      {sides.map(([label, chosen, onChoose]) => (
        <Choose
          key={label}
          label={label}
          value={chosen ?? ''}
          options={chosen === null || known.has(chosen) ? all : [[chosen, chosen], ...all]}
          onChoose={onChoose}
        />
      ))}
    </div>
  );
}

/** `2026-05, May 12, 2026`: by its version if others have its label. */
function nameOf({ release, version, published_at }: Listed, all: readonly Listed[]): string {
  const isAlone = all.filter((one) => one.release === release).length === 1;
  const when = published_at === null ? 'not published' : dateOf(published_at);
  return `${isAlone ? release : version}, ${when}`;
}

/** The exact sums of the chosen area, or of the first county in view. */
function ExactChanges(viewed: Viewed) {
  const { catalogue } = viewed;
  const exact = exactChanges(viewed);
  if (exact === null) return null;
  return (
    <div class="exact">
      <h3>Exact changes: {exact.name}</h3>
      <Paid request={exact.request} label="Who gains, who loses">
        {({ area: { margin }, results }) => (
          <>
            {results.map((row) => (
              <Sums key={row.type} row={row} name={catalogue.typeNames.get(row.type ?? 0) ?? ''} />
            ))}
            <MarginNote margin={margin} />
          </>
        )}
      </Paid>
    </div>
  );
}

function Sums(props: {
  readonly row: DataOf<'measureChanges'>['results'][number];
  readonly name: string;
}) {
  const { row, name } = props;
  const { total, gained, lost, unchanged, newly_within, no_longer_within, no_data } = row;
  const figure = (people: number) =>
    total === 0 ? count(people) : `${count(people)} (${percent(people / total)})`;
  return (
    <>
      <SumsTable
        caption={`${name}: ${count(total)} people`}
        heads={['Minutes', 'sooner', 'later']}
        rows={Object.keys(gained).map((step) => ({
          name: `${step} or more`,
          figures: [figure(gained[step]), figure(lost[step])],
        }))}
      />
      <p>
        Under a minute: {figure(unchanged)}. Newly within 30 minutes: {figure(newly_within ?? 0)}.
        No longer: {figure(no_longer_within ?? 0)}. Not known: {figure(no_data)}.
        {row.mean_before !== null && row.mean_after !== null && (
          <>
            {' '}
            On average {row.mean_before} minutes before, {row.mean_after} after, where over 30
            counts as 30.
          </>
        )}
      </p>
    </>
  );
}

/** A link to the recipe for a release to compare with, and for a report of the changes. */
function Recipe() {
  const api = useApiAddress();
  return api === null ? null : (
    <p class="quiet">
      <a href={`${api}/docs/before-and-after`}>Make a release to compare with, or a report</a> to
      print, with groups, counties and places.
    </p>
  );
}
