import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAction } from '../api/use-action.ts';
import { Notice } from './notice.tsx';

/** Confirms an irreversible action. Escape cancels; the focus returns to where it was. */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly action: string;
  /** Text to type before confirming. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const { title, action, typed, onConfirm, onClose } = props;
  const dialogRef = useRef<HTMLDialogElement>(null);
  const [typedSoFar, setTypedSoFar] = useState('');
  const { isBusy, fault, run } = useAction();
  const id = useId();
  useEffect(() => dialogRef.current?.showModal(), []);

  const confirm = (event: Event) => {
    event.preventDefault();
    void run(onConfirm);
  };
  return (
    <dialog ref={dialogRef} class="dialog" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form onSubmit={confirm}>
        <h2 id={`${id}-title`}>{title}</h2>
        {props.children}
        {typed !== undefined && (
          <div class="field">
            <label for={`${id}-typed`}>
              Type <strong>{typed}</strong> to confirm
            </label>
            <input
              id={`${id}-typed`}
              autoComplete="off"
              autoCapitalize="off"
              spellcheck={false}
              value={typedSoFar}
              onInput={(event) => setTypedSoFar(event.currentTarget.value)}
            />
          </div>
        )}
        {fault && <Notice kind="fault">{fault}</Notice>}
        <div class="actions">
          <button
            type="submit"
            class="button button-danger"
            disabled={isBusy || (typed !== undefined && typedSoFar.trim() !== typed)}
          >
            {action}
          </button>
          <button type="button" class="button" onClick={() => dialogRef.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
