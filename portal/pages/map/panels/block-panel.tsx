import { useEffect } from 'preact/hooks';
import { byMode } from '../../../../shards/modes.ts';
import type { PoiTime } from '../../../client/src/index.ts';
import { count } from '../../formats.ts';
import { Notice } from '../../parts/notice.tsx';
import { Section } from '../../parts/section.tsx';
import { useApi } from '../../session/use-api.ts';
import { useFoundBlock } from '../blocks/use-block-facts.ts';
import type { TileBlock } from '../drawing/draw-map.ts';
import { Paid } from '../paid/paid.tsx';
import { profileRequest, summaryRequest } from '../paid/profile-request.ts';
import { OtherTypes, ProfileBars } from './profile-bars.tsx';
import type { ViewProps } from './view-props.ts';

/** Panel of the selected block: its people, and minutes from it to POIs. */
export function BlockPanel(
  props: ViewProps & {
    readonly geoid: string;
    /** The block as in its tile, if the map has shown it. */
    readonly block: TileBlock | null;
    readonly pointed: string | null;
    readonly onPointed: (id: string | null) => void;
    readonly onCatchment: (poi: PoiTime) => void;
  },
) {
  const { catalogue, state, choice, change, requests, geoid, block } = props;
  const { mode, type } = choice;
  const others = catalogue.types.filter(({ id }) => !catalogue.everyday.includes(id));
  const street = mode === 'bike' ? 'bike' : 'walk';
  const isPressed = block !== null;
  const unseen = useFoundBlock(
    useApi(),
    isPressed ? null : geoid,
    state.position,
    catalogue.bounds,
  );
  const population = block?.population ?? (unseen?.isThere ? unseen.population : null);
  // Below the legend, the panel of a pressed block would be out of sight.
  useEffect(() => {
    if (isPressed) document.getElementById('block')?.scrollIntoView({ block: 'start' });
  }, [geoid, isPressed]);
  return (
    <Section
      id="block"
      title="Selected block"
      class="map-block"
      aside={
        <button type="button" class="button button-small" onClick={() => change({ block: null })}>
          Close
        </button>
      }
    >
      <dl class="block-facts">
        <div>
          <dt>GEOID</dt>
          <dd class="mono">{geoid}</dd>
        </div>
        {population !== null && (
          <div>
            <dt>People</dt>
            <dd>{count(population)}</dd>
          </div>
        )}
      </dl>
      {/* Shown before anything is charged. */}
      {unseen?.isThere === false && (
        <Notice kind="plain">
          This release has no such block near the map. The address may be of another release.
        </Notice>
      )}
      {block?.unlinked.includes(street) && (
        <p class="quiet">No street near {byMode(mode)}: its minutes are not known.</p>
      )}
      <div class="actions block-actions">
        <button
          type="button"
          class="button button-small"
          onClick={() => change({ view: 'reach', origin: geoid, poi: null })}
        >
          Reach from here
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => change({ view: 'compare', origin: geoid, poi: null })}
        >
          Use as A
        </button>
        <button
          type="button"
          class="button button-small"
          onClick={() => change({ view: 'compare', otherOrigin: geoid })}
        >
          Use as B
        </button>
      </div>
      <Paid
        requests={requests}
        request={profileRequest(geoid, catalogue, type.id)}
        label="Minutes from here"
      >
        {(profile) => (
          <>
            <ProfileBars {...props} profile={profile} />
            <Paid
              requests={requests}
              request={summaryRequest(
                geoid,
                mode,
                others.map(({ id }) => id),
              )}
              label={`${others.length} more types ${byMode(mode)}`}
            >
              {(summary) => <OtherTypes summary={summary} types={others} mode={mode} />}
            </Paid>
          </>
        )}
      </Paid>
    </Section>
  );
}
