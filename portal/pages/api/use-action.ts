import { useState } from 'preact/hooks';
import { explained } from './fault.ts';

/** Runs the action of a button or a form, one at a time, and keeps its failure in words. */
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
