import type { ImageStore } from './image-store.ts';
import { type ModalMethods, stream, unary } from './modal-method.ts';

/** The methods of `ModalClient` about images. */
export function createImageMethods(images: ImageStore): ModalMethods {
  return {
    ImageGetOrCreate: unary(({ image, force_build }: ImageRequest) => {
      const build = images.build(image.dockerfile_commands, image.base_images[0]?.image_id, { force: force_build });
      // A build that runs is joined by the client, and so is one that failed at once: there is its log.
      return build.result.status === 1 ? { image_id: build.id, result: build.result } : { image_id: build.id };
    }),
    ImageJoinStreaming: stream(async function* join(request: JoinRequest, { signal }) {
      const build = images.buildOf(request.image_id);
      let index = Number(request.last_entry_id || 0);
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      while (!signal.aborted) {
        for (; index < build.logLines.length; index += 1) {
          yield {
            task_logs: [{ data: `${build.logLines[index]}\n`, file_descriptor: 1 }],
            entry_id: String(index + 1),
          };
        }
        if (build.result.status !== 0) {
          yield { result: build.result, entry_id: String(index), eof: true };
          return;
        }
        await Promise.race([build.changed(), aborted]);
      }
    }),
    ImageFromId: unary(({ image_id }: { readonly image_id: string }) => ({ image_id: images.get(image_id).id })),
    ImageDelete: unary(({ image_id }: { readonly image_id: string }) => {
      images.remove(image_id);
      return {};
    }),
  };
}

interface ImageRequest {
  readonly image: {
    readonly dockerfile_commands: readonly string[];
    readonly base_images: readonly { readonly image_id: string }[];
  };
  readonly force_build: boolean;
}

interface JoinRequest {
  readonly image_id: string;
  readonly last_entry_id: string;
}
