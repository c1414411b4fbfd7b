import { useEffect } from 'preact/hooks';
import { count } from '../../formats.ts';
import { Notice } from '../../parts/notice.tsx';
import { Section } from '../../parts/page.tsx';
import { useFoundBlock } from '../blocks/use-block-facts.ts';
import { byMode } from '../catalogue/mode-words.ts';
import { Paid } from '../paid/paid.tsx';
import { useMap } from '../state/map-context.ts';
import { FreeProfile } from './free-profile.tsx';
import { OtherTypes, ProfileBars } from './profile-bars.tsx';
import { profileRequest, summaryRequest } from './profile-request.ts';

export function BlockPanel(props: {
  readonly geoid: string;
  /** Whether the block was selected on the map. */
  readonly isPressed: boolean;
}) {
  const { geoid, isPressed } = props;
  const { change } = useMap();
  const found = useFoundBlock(geoid);
  const population = found?.isThere ? found.population : null;
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
      {found?.isThere === false && (
        <Notice kind="plain">
          This release has no such block near the map. The address may be of another release.
        </Notice>
      )}
      {found?.isThere && <FreeProfile block={found} />}
      <BlockActions geoid={geoid} />
      <ExactMinutes geoid={geoid} />
    </Section>
  );
}

function BlockActions({ geoid }: { readonly geoid: string }) {
  const { change } = useMap();
  return (
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
  );
}

/** Minutes from a block with tenths, and the names of the POIs, for tokens. */
function ExactMinutes({ geoid }: { readonly geoid: string }) {
  const { catalogue, choice } = useMap();
  const { mode } = choice;
  const others = catalogue.types.filter(({ id }) => !catalogue.everyday.includes(id));
  return (
    <Paid request={profileRequest(geoid, catalogue, choice)} label="Exact minutes and names">
      {(profile) => (
        <>
          <ProfileBars profile={profile} />
          <Paid
            request={summaryRequest(
              geoid,
              choice,
              others.map(({ id }) => id),
            )}
            label={`${others.length} more types ${byMode(mode)}`}
          >
            {(summary) => <OtherTypes summary={summary} types={others} mode={mode} />}
          </Paid>
        </>
      )}
    </Paid>
  );
}
