import { useEffect, useRef, useState } from 'preact/hooks';
import { REQUEST_LIMITS } from '../../../../../proxy/http/request-limits.ts';
import { keylessClient } from '../../../api/clients.ts';
import { counted } from '../../../formats.ts';
import { FileButton } from '../../../parts/file-button.tsx';
import { FileField } from '../../../parts/file-field.tsx';
import { useCountiesInView } from '../../blocks/area-blocks.ts';
import { lowered } from '../../catalogue/type-nouns.ts';
import { Paid } from '../../paid/paid.tsx';
import { useRequests } from '../../paid/use-paid-requests.ts';
import { Choose, ModeChoice, Switch, TypeChoice, WeightChoice } from '../../panels/choices.tsx';
import { Swatches } from '../../panels/legend.tsx';
import { TransitTimes } from '../../panels/transit-times.tsx';
import { degrees } from '../../state/codecs.ts';
import { useMap } from '../../state/map-context.ts';
import {
  type Direction,
  type MapState,
  SITE_MINUTES,
  type SitesBy,
} from '../../state/map-state.ts';
import { fitsAddress, MAX_ADDRESS_SITES, type Site, without } from '../../state/sites.ts';
import type { Viewed } from '../map-view.ts';
import { SitesColours, SitesResults } from './sites-results.tsx';
import { type MeasuredSites, sitesIn, sitesSwatches } from './sites-view.ts';

const DIRECTIONS: readonly (readonly [Direction, string])[] = [
  ['to', 'To the sites'],
  ['from', 'From the sites'],
];
const SOURCES = [
  ['own', 'Your own points'],
  ['type', 'Existing places'],
] as const;
const KINDS: readonly (readonly [MapState['adds'], string])[] = [
  ['site', 'A site'],
  ['candidate', 'A candidate'],
];

/** Maximum number of sites listed; a longer list would hide what is below it. */
const MAX_LISTED = 50;

export function SitesPanel(viewed: Viewed) {
  const { area } = viewed;
  const measured = sitesIn(viewed);
  const { choice, change } = useMap();
  const { request } = measured;
  const place = useRef<HTMLDivElement>(null);
  const sendNext = useSendNext(request);
  const onTry = (candidates: readonly Site[]) => {
    // The pressed button is replaced.
    place.current?.focus({ preventScroll: true });
    change({ sites: candidates });
    sendNext();
  };
  return (
    <section class="view" aria-labelledby="sites">
      <h2 id="sites">People near sites</h2>
      <SitesSource />
      <SitesFile />
      <SiteList />
      <MeasureChoices />
      {choice.sitesType !== null && area.state === 'none' && (
        <p>
          Choose an area above: its {lowered(choice.sitesType.name)}, and those near it, become the
          sites.
        </p>
      )}
      <div ref={place} tabIndex={-1}>
        {request !== null && (
          <Paid request={request} label={`Count ${choice.sitesUnit}`}>
            {(coverage) => <SitesResults coverage={coverage} area={area.value} onTry={onTry} />}
          </Paid>
        )}
      </div>
      <SitesColours {...measured} />
      <Swatches entries={sitesSwatches(viewed)} />
    </section>
  );
}

/** Returns how to send the request that follows the next change of the state. */
function useSendNext(request: MeasuredSites['request']): () => void {
  const requests = useRequests();
  /** The request before the change. */
  const [before, setBefore] = useState<typeof request>(null);
  useEffect(() => {
    if (before === null || request === null || before.name === request.name) return;
    setBefore(null);
    requests.send(request);
  });
  return () => setBefore(request);
}

function SitesSource() {
  const { state, choice, change } = useMap();
  const { sites, adds, area } = state;
  const { sitesType } = choice;
  const isOwn = sitesType === null;
  const added = isOwn ? adds : 'candidate';
  const [county] = useCountiesInView();
  return (
    <>
      <Switch
        label="Sites"
        name="sites-source"
        values={SOURCES}
        chosen={isOwn ? 'own' : 'type'}
        onChoose={(next) =>
          change(
            next === 'own'
              ? { sitesType: null }
              : {
                  sitesType: choice.type.id,
                  adds: 'candidate',
                  area: area ?? county?.code ?? null,
                },
          )
        }
      />
      {!isOwn && (
        <TypeChoice
          label="Sites: all in the area and near it"
          type={sitesType.id}
          onType={(next) => change({ sitesType: next })}
        />
      )}
      {isOwn && (
        <Switch
          label="A click on the map sets"
          name="site-kind"
          values={KINDS}
          chosen={adds}
          onChoose={(next) => change({ adds: next })}
        />
      )}
      <p class="quiet">
        Click the map to add a {added}; drag the {added} to move it, and press Delete to remove it.
        By keyboard, Enter adds a {added} at the cross. {addressed(sites)}
      </p>
    </>
  );
}

function MeasureChoices() {
  const { catalogue, state, choice, change } = useMap();
  const { sites, sitesBy } = state;
  const { sitesType } = choice;
  const { weight, direction, choose, within } = sitesBy;
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
      <TransitTimes modes={[choice.mode]} />
      <Choose
        label="Near means within"
        value={within}
        options={SITE_MINUTES.map((minutes) => [minutes, `${minutes} minutes`])}
        onChoose={(next) => measureBy({ within: Number(next) })}
      />
      {sitesType === null && (
        <Switch
          label="Direction"
          name="site-direction"
          values={DIRECTIONS}
          chosen={direction}
          onChoose={(next) => measureBy({ direction: next })}
        />
      )}
      {sites.some(({ isCandidate }) => isCandidate) && (
        <label class="field">
          <span>How many to add</span>
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

function bounded(number: number): number {
  return Math.min(REQUEST_LIMITS.chosen, Math.max(1, number || 1));
}

/** Confidence from which the API takes an address as a site. */
const CERTAIN = 0.8;

function SitesFile() {
  const { change } = useMap();
  const find = async (address: string) => {
    const [best] = (await keylessClient.findAddresses({ q: address, limit: 1 })).data.results;
    return best && best.confidence >= CERTAIN
      ? { lat: degrees(best.lat), lon: degrees(best.lon) }
      : null;
  };
  const open = async (file: File) => {
    const { readSites } = await import('./sites-files.ts');
    const read = await readSites(file, find);
    if ('fault' in read) return read.fault;
    change({ sites: read.sites });
    return null;
  };
  return (
    <FileField
      label="Or upload a CSV: id, lat, lon (or address); optionally candidate (yes/no)"
      accept=".csv,text/csv"
      read={open}
    />
  );
}

function SiteList() {
  const { state, choice, change } = useMap();
  const { sites } = state;
  const { sitesType } = choice;
  const candidates = sites.filter(({ isCandidate }) => isCandidate).length;
  const save = async () => (await import('./sites-files.ts')).sitesFile(sites);
  const own = [
    ...(sitesType === null ? [counted(sites.length - candidates, 'site')] : []),
    ...(candidates > 0 ? [counted(candidates, 'candidate')] : []),
  ];
  return (
    <>
      <p role="status">
        {sites.length === 0 && sitesType === null ? 'No sites yet.' : own.join(', ')}
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
                  onClick={() => change({ sites: without(sites, id) })}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
          {sites.length > MAX_LISTED && <p class="quiet">The first {MAX_LISTED}.</p>}
          <p class="take-along">
            <FileButton label="Save as CSV" name="sites.csv" make={save} />
            <button type="button" class="button" onClick={() => change({ sites: [] })}>
              Remove all
            </button>
          </p>
        </details>
      )}
    </>
  );
}
