import { useEffect, useState } from 'preact/hooks';
import { portalConfig } from './portal.ts';

/** URL of the API; `null` until it is known. */
export function useApiAddress(): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    portalConfig().then(
      ({ api_url }) => setAddress(api_url),
      // Pages that need it show the error themselves.
      () => {},
    );
  }, []);
  return address;
}
