import type { AppName } from './app-store.ts';
import { createImageMethods } from './image-methods.ts';
import type { ImageStore } from './image-store.ts';
import { type ModalMethods, unary } from './modal-method.ts';
import { createSandboxMethods, type SandboxPlane } from './sandbox-methods.ts';
import type { SecretRequest } from './secret-store.ts';

/** What the methods of `ModalClient` work on. */
export interface ControlPlane extends SandboxPlane {
  readonly images: ImageStore;
  /** A token that every call but the first must carry. */
  readonly issueAuthToken: () => string;
}

/** The methods of `modal.client.ModalClient`. */
export function createControlPlaneMethods(plane: ControlPlane): ModalMethods {
  return {
    AuthTokenGet: unary(() => ({ token: plane.issueAuthToken() })),
    AppGetOrCreate: unary((request: AppRequest) => ({
      app_id: plane.apps.getOrCreate(request, request.object_creation_type === 1),
    })),
    EnvironmentGetOrCreate: unary((request: { readonly deployment_name: string }) => ({
      environment_id: 'en-double',
      metadata: { name: request.deployment_name || 'main', settings: { image_builder_version: '2025.06' } },
    })),
    SecretGetOrCreate: unary((request: SecretRequest) => ({ secret_id: plane.secrets.getOrCreate(request) })),
    ...createImageMethods(plane.images),
    ...createSandboxMethods(plane),
  };
}

interface AppRequest extends AppName {
  /** 1 creates what is missing. */
  readonly object_creation_type: number;
}
