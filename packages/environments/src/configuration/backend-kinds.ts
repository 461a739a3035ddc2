import type { BackendKind } from '@talaria/terminal-backends';

/** Every kind of backend, in the order in which they are told. */
export const backendKinds: readonly BackendKind[] = ['local', 'docker', 'ssh', 'modal', 'singularity', 'daytona'];

/** Kinds whose sandboxes come from an image. */
const kindsWithImages: ReadonlySet<string> = new Set<BackendKind>(['docker', 'modal', 'singularity', 'daytona']);

/** Whether sandboxes of a kind come from an image. */
export function hasImages(kind: string): boolean {
  return kindsWithImages.has(kind);
}
