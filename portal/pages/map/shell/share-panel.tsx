import { useEffect, useRef, useState } from 'preact/hooks';
import { onRequest } from '../../parts/failed-script.tsx';
import type { PictureParts } from './make-picture.tsx';
import type { ShareProps } from './share-ways.tsx';

export function SharePanel(props: ShareProps) {
  const { picture } = props;
  // Loaded when it is first opened, so that the map comes first.
  const [wasOpened, setOpened] = useState(false);
  usePrinted(picture);
  return (
    <details class="share" onToggle={() => setOpened(true)}>
      <summary>Share</summary>
      {wasOpened && <ShareWays {...props} />}
    </details>
  );
}

const ShareWays = onRequest(
  'the ways to share',
  async () => (await import('./share-ways.tsx')).ShareWays,
);

/** The time after which the page has what it needs to print, so that the map comes first. */
const PRINTER_MS = 3_000;

function usePrinted(picture: PictureParts): void {
  const latest = useRef(picture);
  latest.current = picture;
  useEffect(() => {
    let make: typeof import('./make-picture.tsx') | null = null;
    let remove: (() => void) | null = null;
    const timer = setTimeout(async () => {
      make = await import('./make-picture.tsx').catch(() => null);
    }, PRINTER_MS);
    const show = () => {
      remove = make?.printedPicture(latest.current) ?? null;
    };
    const hide = () => remove?.();
    addEventListener('beforeprint', show);
    addEventListener('afterprint', hide);
    return () => {
      clearTimeout(timer);
      removeEventListener('beforeprint', show);
      removeEventListener('afterprint', hide);
    };
  }, []);
}
