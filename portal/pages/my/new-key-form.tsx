import { useState } from 'preact/hooks';
import { MAX_LABEL } from '../../../proxy/plans.ts';
import { createKey } from '../api/portal.ts';
import { useSession } from '../session/session.tsx';

export function NewKeyForm({ onMade }: { readonly onMade: () => void }) {
  const { setFreshKey } = useSession();
  const [label, setLabel] = useState('');
  const [fault, setFault] = useState('');
  const [isBusy, setBusy] = useState(false);
  const make = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setFault('');
    try {
      setFreshKey((await createKey(label.trim())).key);
      setLabel('');
      onMade();
    } catch (error) {
      if (error instanceof Error) setFault(error.message);
    }
    setBusy(false);
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
