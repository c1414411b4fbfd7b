/** The sign of the service: bands of time about a place. */
export function Sign() {
  return (
    <svg class="sign" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <circle class="band-3" cx="16" cy="16" r="15" />
      <circle class="band-2" cx="16" cy="16" r="10" />
      <circle class="band-1" cx="16" cy="16" r="5" />
    </svg>
  );
}
