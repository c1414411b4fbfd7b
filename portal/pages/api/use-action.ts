import { useState } from 'preact/hooks';
import { explained } from './fault.ts';

/** What a button or a form does, once at a time: whether it is under way, and why it failed. */
export function useAction(inWords: (error: unknown) => string = explained) {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  /** Resolves to whether it succeeded; does nothing while it is under way. */
  const run = async (act: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false;
    setBusy(true);
    setFault('');
    try {
      await act();
      return true;
    } catch (error) {
      setFault(inWords(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, fault, setFault, run };
}
