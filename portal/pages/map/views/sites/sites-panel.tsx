import { useState } from 'preact/hooks';
import { REQUEST_LIMITS } from '../../../../../proxy/http/request-limits.ts';
import { counted } from '../../../formats.ts';
import { FileButton } from '../../../parts/file-button.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Paid } from '../../paid/paid.tsx';
import { ModeChoice, Switch, WeightChoice } from '../../panels/choices.tsx';
import { PercentileNote } from '../../panels/words.tsx';
import { useMap } from '../../state/map-context.ts';
import type { Direction, MapState, SitesBy } from '../../state/map-state.ts';
import type { Site } from '../../state/sites.ts';
import { fitsAddress, MAX_ADDRESS_SITES, without } from '../../state/sites.ts';
import { readSites, sitesFile } from './sites-files.ts';
import { sitesRequest } from './sites-request.ts';
import { SitesResults } from './sites-results.tsx';

const DIRECTIONS: readonly (readonly [Direction, string])[] = [
  ['to', 'To the sites'],
  ['from', 'From the sites'],
];
const KINDS: readonly (readonly [MapState['adds'], string])[] = [
  ['site', 'A site'],
  ['candidate', 'A candidate'],
];

/** Maximum number of sites listed; a longer list would hide what is below it. */
const MAX_LISTED = 50;

/** Panel of one's own sites: the people near them, and which candidates would add most. */
export function SitesPanel() {
  const { catalogue, state, choice, change } = useMap();
  const { sites, sitesBy, adds } = state;
  const { weights } = catalogue;
  const onSites = (next: readonly Site[]) => change({ sites: next });
  return (
    <section class="view" aria-labelledby="sites">
      <h2 id="sites">People near sites of your own</h2>
      <Switch
        label="A click on the map sets"
        name="site-kind"
        values={KINDS}
        chosen={adds}
        onChoose={(next) => change({ adds: next })}
      />
      <p class="quiet">
        Click the map to add one. Drag it to move it; press Delete to remove it. By keyboard, Enter
        adds one at the cross. {addressed(sites)}
      </p>
      <SitesFile onSites={onSites} />
      <SiteList sites={sites} onSites={onSites} />
      <MeasureChoices />
      {sites.length > 0 && (
        <Paid request={sitesRequest(sites, { ...sitesBy, mode: choice.mode })} label="Measure them">
          {(coverage) => (
            <SitesResults
              coverage={coverage}
              points={sites}
              unit={unitOf(weights, sitesBy.weight)}
            />
          )}
        </Paid>
      )}
    </section>
  );
}

/** Choices of how sites are measured. */
function MeasureChoices() {
  const { catalogue, state, choice, change } = useMap();
  const { sites, sitesBy } = state;
  const { weight, direction, choose } = sitesBy;
  const measureBy = (part: Partial<SitesBy>) => change({ sitesBy: { ...sitesBy, ...part } });
  return (
    <>
      <div class="map-choices">
        <ModeChoice mode={choice.mode} onMode={(next) => change({ mode: next })} />
        <WeightChoice
          weights={catalogue.weights}
          weight={weight}
          onWeight={(next) => measureBy({ weight: next })}
        />
      </div>
      <PercentileNote modes={[choice.mode]} />
      <Switch
        label="Direction"
        name="site-direction"
        values={DIRECTIONS}
        chosen={direction}
        onChoose={(next) => measureBy({ direction: next })}
      />
      {sites.some(({ isCandidate }) => isCandidate) && (
        <label class="field">
          <span>Candidates to choose</span>
          <input
            type="number"
            min={1}
            max={REQUEST_LIMITS.chosen}
            value={choose}
            onInput={(event) => measureBy({ choose: bounded(event.currentTarget.valueAsNumber) })}
          />
        </label>
      )}
    </>
  );
}

/** A sentence on whether the address of the page has the sites. */
function addressed(sites: readonly Site[]): string {
  return fitsAddress(sites)
    ? 'Your sites are part of this page’s link.'
    : `These are too many for the address of this page (${MAX_ADDRESS_SITES} at most, with short ids): save them as CSV to share them.`;
}

/** Limits the number of candidates to choose to the valid range. */
function bounded(number: number): number {
  return Math.min(REQUEST_LIMITS.chosen, Math.max(1, number || 1));
}

function unitOf(listed: readonly { weight: string; unit: string }[], weight: string): string {
  return listed.find((one) => one.weight === weight)?.unit ?? '';
}

/** Opens a CSV file of sites, which replace the current ones. */
function SitesFile({ onSites }: { readonly onSites: (sites: readonly Site[]) => void }) {
  const [fault, setFault] = useState<string | null>(null);
  const open = async (input: HTMLInputElement) => {
    const [file] = input.files ?? [];
    if (file === undefined) return;
    const read = await readSites(file);
    input.value = '';
    setFault('fault' in read ? read.fault : null);
    if ('sites' in read) onSites(read.sites);
  };
  return (
    <>
      <label class="field">
        <span>Or a CSV file with id, lat, lon, and candidate (yes or no) if you like</span>
        <input
          type="file"
          accept=".csv,text/csv"
          onChange={(event) => void open(event.currentTarget)}
        />
      </label>
      {fault !== null && <Notice kind="fault">{fault}</Notice>}
    </>
  );
}

function SiteList(props: {
  readonly sites: readonly Site[];
  readonly onSites: (sites: readonly Site[]) => void;
}) {
  const { sites, onSites } = props;
  const candidates = sites.filter(({ isCandidate }) => isCandidate).length;
  const set = sites.length === 0 ? 'No sites yet.' : counted(sites.length - candidates, 'site');
  return (
    <>
      <p role="status">
        {set}
        {candidates > 0 && `, ${counted(candidates, 'candidate')}`}
      </p>
      {sites.length > 0 && (
        <details>
          <summary>List of sites</summary>
          <ul class="site-list">
            {sites.slice(0, MAX_LISTED).map(({ id, lat, lon, isCandidate }) => (
              <li key={id}>
                <span>
                  <strong>{id}</strong> {isCandidate && 'candidate, '}
                  {lat.toFixed(5)}, {lon.toFixed(5)}
                </span>
                <button
                  type="button"
                  class="button button-small button-quiet"
                  aria-label={`Remove ${id}`}
                  onClick={() => onSites(without(sites, id))}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
          {sites.length > MAX_LISTED && <p class="quiet">The first {MAX_LISTED}.</p>}
          <p class="take-along">
            <FileButton label="Save as CSV" name="sites.csv" make={async () => sitesFile(sites)} />
            <button type="button" class="button" onClick={() => onSites([])}>
              Remove all
            </button>
          </p>
        </details>
      )}
    </>
  );
}
