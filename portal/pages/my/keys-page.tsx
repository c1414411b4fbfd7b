import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_ACTIVE_KEYS, MAX_LABEL } from '../../../proxy/plans.ts';
import { PAGE_PATHS } from '../../page-paths.ts';
import type { Key } from '../../responses.ts';
import { createKey, keys, revokeKey } from '../api/portal.ts';
import { useAction } from '../api/use-action.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { dateOf, momentOf } from '../formats.ts';
import { CopyButton } from '../parts/code-block.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Page, Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { type Column, StackingTable } from '../parts/tables.tsx';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.tsx';

const COLUMNS: readonly Column<Key>[] = [
  [
    'Label',
    ({ label, disabled }) => (
      <>
        {label || <span class="quiet">no label</span>}
        {disabled && <span class="tag">disabled</span>}
      </>
    ),
  ],
  ['Prefix', ({ prefix }) => <code>{prefix}…</code>],
  ['Created', ({ created_at }) => dateOf(created_at)],
];
const LAST_USED: Column<Key> = [
  'Last used',
  ({ last_used_at }) => (last_used_at ? momentOf(last_used_at) : 'never'),
];
const REVOKED: Column<Key> = ['Revoked', ({ revoked_at }) => momentOf(revoked_at!)];

export function KeysPage() {
  const loaded = useLoaded(keys);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const [said, setSaid] = useState('');
  const revoke: Column<Key> = [
    'Action',
    (key) => (
      <button
        type="button"
        class="button button-small"
        aria-label={`Revoke ${key.label || key.prefix}`}
        onClick={() => setRevoking(key)}
      >
        Revoke
      </button>
    ),
    'action',
  ];
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
                {active.length === 0 ? (
                  <p class="card empty">No keys yet.</p>
                ) : (
                  <StackingTable rows={active} columns={[...COLUMNS, LAST_USED, revoke]} />
                )}
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
                  <StackingTable rows={revoked} columns={[...COLUMNS, REVOKED]} />
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

function NewKeyForm({ onMade }: { readonly onMade: () => void }) {
  const { setFreshKey } = useSession();
  const [label, setLabel] = useState('');
  const { isBusy, fault, run } = useAction();
  const make = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      setFreshKey((await createKey(label.trim())).key);
      setLabel('');
      onMade();
    });
  };
  return (
    <form class="inline-form" onSubmit={make}>
      <div class="field">
        <label for="label">Label: what is it for?</label>
        <input
          id="label"
          autoComplete="off"
          // Counted in UTF-16 code units here; a character has up to two.
          maxLength={2 * MAX_LABEL}
          placeholder="my notebook"
          value={label}
          aria-describedby="label-fault"
          onInput={(event) => setLabel(event.currentTarget.value)}
        />
      </div>
      <button type="submit" class="button button-main" aria-disabled={isBusy}>
        {isBusy ? 'Creating …' : 'Create key'}
      </button>
      <p id="label-fault" class="fault-text" role="alert">
        {fault}
      </p>
    </form>
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
