import { useState } from 'preact/hooks';
import { MAX_ACTIVE_KEYS } from '../../../proxy/key-limits.ts';
import type { Key } from '../../responses.ts';
import { keys, revokeKey } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Section } from '../parts/section.tsx';
import { Shown } from '../parts/shown.tsx';
import { FreshKey } from './fresh-key.tsx';
import { KeyTable } from './key-table.tsx';
import { NewKeyForm } from './new-key-form.tsx';

/** Page to create, list and revoke keys. */
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
