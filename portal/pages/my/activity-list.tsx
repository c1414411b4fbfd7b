import type { Activity } from '../../responses.ts';
import { activity } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { momentOf } from '../formats.ts';
import { Section } from '../parts/page.tsx';
import { Shown } from '../parts/shown.tsx';
import { detailInWords } from './activity-text.ts';

const FIRST = 10;

const WORDS: Readonly<Record<Activity['what'], string>> = {
  'account-opened': 'Account opened',
  'account-closed': 'Account closed',
  'account-disabled': 'Account disabled',
  'account-enabled': 'Account enabled',
  'signed-in': 'Signed in',
  'session-ended': 'Signed out',
  'key-created': 'Key created',
  'key-revoked': 'Key revoked',
  'key-disabled': 'Key disabled',
  'key-enabled': 'Key enabled',
  'tokens-granted': 'Tokens added',
  'tokens-taken-back': 'Tokens deducted',
  'membership-changed': 'Membership changed',
};
/** Words for actors other than the owner. */
const BY: Readonly<Record<Exclude<Activity['by'], 'owner'>, string>> = {
  operator: 'the operator',
  payment: 'a payment',
};

export function ActivityList() {
  const loaded = useLoaded(activity);
  return (
    <Section id="activity" title="Activity">
      <Shown of={loaded} what="activity">
        {(entries) => (
          <>
            <Entries of={entries.slice(0, FIRST)} />
            {entries.length > FIRST && (
              <details class="behind">
                <summary>Earlier ({entries.length - FIRST})</summary>
                <Entries of={entries.slice(FIRST)} />
              </details>
            )}
          </>
        )}
      </Shown>
    </Section>
  );
}

function Entries({ of: entries }: { readonly of: readonly Activity[] }) {
  return (
    <ol class="activity">
      {entries.map(({ at, by, what, detail }, i) => (
        <li key={i}>
          <time dateTime={at}>{momentOf(at)}</time>
          <span>
            {WORDS[what]} {by !== 'owner' && <span class="quiet">by {BY[by]}</span>}
            {detail && <span class="quiet detail">{detailInWords(what, detail)}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
