import type { InputHTMLAttributes, Ref } from 'preact';

/** A labelled text input with its error, announced immediately by screen readers. */
export function Field({
  label,
  fault,
  onText,
  input,
  ...attributes
}: InputHTMLAttributes<HTMLInputElement> & {
  readonly id: string;
  readonly label: string;
  /** Empty if there is no error. */
  readonly fault: string;
  readonly onText: (text: string) => void;
  readonly input: Ref<HTMLInputElement>;
}) {
  const faultId = `${attributes.id}-fault`;
  return (
    <div class="field">
      <label for={attributes.id}>{label}</label>
      <input
        {...attributes}
        ref={input}
        spellcheck={false}
        aria-invalid={fault !== ''}
        aria-describedby={faultId}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <p id={faultId} class="fault-text" role="alert">
        {fault}
      </p>
    </div>
  );
}
