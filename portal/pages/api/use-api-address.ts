import { portalConfig } from './portal.ts';
import { useLoaded } from './use-loaded.ts';

/** URL of the API; `null` until it is known. */
export function useApiAddress(): string | null {
  const config = useLoaded(portalConfig);
  return config.state === 'here' ? config.value.api_url : null;
}
