import type { ObjectRef } from '../store/store.ts';
import type { Manifest } from './manifest.ts';

/** Every object that a manifest names, once each, not including the manifest itself. */
export function objectsNamed(manifest: Manifest): ObjectRef[] {
  const owners = [
    ...Object.values(manifest.counties).flatMap(
      ({ objects, block_bands = {}, access_classes = {} }) => [
        objects,
        block_bands,
        access_classes,
      ],
    ),
    ...Object.values(manifest.states).map(({ objects }) => objects),
    manifest.objects,
    ...Object.values(manifest.tiles),
  ];
  const refs = owners.flatMap((owner) => Object.values<ObjectRef | undefined>(owner));
  const named = refs.filter((ref) => ref !== undefined);
  return [...new Map(named.map((ref) => [ref.name, ref])).values()];
}
