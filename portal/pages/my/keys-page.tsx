import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_ACTIVE_KEYS } from '../../../proxy/plans.ts';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Key } from '../../responses.ts';
import { keys, revokeKey } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { CopyButton } from '../parts/code-block.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKeyForm } from './new-key-form.tsx';

export function KeysPage() {
  const loaded = useLoaded(keys);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [said, setSaid] = useState('');
  return (
    <Page
      title="Keys"
      lead={`A key authenticates your requests and spends this account’s tokens. Create one for each program, up to ${MAX_ACTIVE_KEYS} at a time.`}
    >
      <FreshKey />
      <Shown of={loaded} what="your keys">
        {(all) => {
          const active = all.filter((key) => key.revoked_at === null);
          const revoked = all.filter((key) => key.revoked_at !== null);
          return (
            <>
              <Section id="active" title="Active keys">
                <KeyTable keys={active} onRevoke={setRevoking} />
                <p role="status" class="quiet">
                  {said}
                </p>
              </Section>
              <Section id="new" title="Create a key">
                {active.length < MAX_ACTIVE_KEYS ? (
                  <NewKeyForm
                    onMade={() => {
                      setSaid('');
                      void loaded.reload();
                    }}
                  />
                ) : (
                  <p>You have {MAX_ACTIVE_KEYS} active keys. Revoke one to create another.</p>
                )}
              </Section>
              {revoked.length > 0 && (
                <details class="behind">
                  <summary>Revoked keys ({revoked.length})</summary>
                  <KeyTable keys={revoked} />
                </details>
              )}
            </>
          );
        }}
      </Shown>
      {revoking && (
        <ConfirmDialog
          title={`Revoke ${revoking.label || revoking.prefix}?`}
          action="Revoke key"
          onClose={() => setRevoking(null)}
          onConfirm={async () => {
            await revokeKey(revoking.id);
            setRevoking(null);
            setSaid(`Revoked ${revoking.label || revoking.prefix}.`);
            await loaded.reload();
          }}
        >
          <p>
            Programs that use <code>{revoking.prefix}…</code> are refused from now on. A revoked key
            cannot be restored.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function FreshKey() {
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
