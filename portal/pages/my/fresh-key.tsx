import { useEffect, useRef } from 'preact/hooks';
import { PAGE_PATHS } from '../../page-paths.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.tsx';

/** The newly created key, shown only once. */
export function FreshKey() {
  const { freshKey, setFreshKey } = useSession();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (freshKey !== null) place.current?.focus();
  }, [freshKey]);
  if (freshKey === null) return null;
  return (
    <section class="card card-accent fresh-key" ref={place} tabIndex={-1} aria-labelledby="fresh">
      <h2 id="fresh">Your new key</h2>
      <p>
        <strong>Copy it now. It is shown only once.</strong> We store only its hash and cannot show
        it again. Anyone who has it can spend your tokens, so keep it out of URLs and public code.
      </p>
      <p class="key-line">
        <code>{freshKey}</code>
        <CopyButton text={freshKey} what="the key" />
      </p>
      <div class="actions">
        <Link to={PAGE_PATHS.firstRequest} class="button">
          Make your first request
        </Link>
        <button type="button" class="button button-quiet" onClick={() => setFreshKey(null)}>
          Done
        </button>
      </div>
    </section>
  );
}
