import { useEffect, useState } from 'preact/hooks';
import { PLANS } from '../../../proxy/plans.ts';
import { portalConfig } from '../api/portal.ts';
import { useLoaded } from '../api/use-loaded.ts';
import { count } from '../formats.ts';
import { Page } from '../parts/page.tsx';
import { navigate } from '../router/router.ts';
import { nextPath } from '../router/routes.ts';
import { useSession } from '../session/session.tsx';
import { CodeForm } from './code-form.tsx';
import { EmailForm } from './email-form.tsx';

export function SignInPage() {
  const { visitor, signedIn } = useSession();
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const [next] = useState(() => nextPath(location.search));
  const isSignedIn = visitor.state === 'signed-in';
  const config = useLoaded(portalConfig);
  const hasGrants = config.value?.signup_grants ?? true;
  const begins = hasGrants ? ` with ${count(PLANS.free_grant.tokens)} free tokens` : '';
  useEffect(() => {
    if (isSignedIn) navigate(next, { replace: true });
  }, [isSignedIn, next]);
  return (
    <Page
      title="Sign in"
      class="narrow"
      lead={
        isSent
          ? undefined
          : `We’ll e-mail you a code; there is no password. If you don’t have an account yet, we’ll create one${begins}.`
      }
    >
      {isSent ? (
        <CodeForm
          {...{ email, next }}
          onSignedIn={signedIn}
          onOtherAddress={() => setSent(false)}
        />
      ) : (
        <EmailForm
          {...{ email, next }}
          onSent={(address) => {
            setEmail(address);
            setSent(true);
          }}
        />
      )}
    </Page>
  );
}
