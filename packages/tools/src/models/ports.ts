import type { ChatMessage, Usage } from '@talaria/core';

/**
 * Answers one question, with images or not: what a tool asks of a model. A chat model of `@talaria/model-client` is adapted
 * in three lines; endpoints that speak OpenAI's format by `createOpenAiToolModel`.
 *
 * `ask` rejects with the signal's reason soon after an abort, and with a `ModelError` where the endpoint fails.
 */
export interface ToolModel {
  /** Shown in results. */
  readonly name: string;
  ask(
    request: {
      readonly messages: readonly ChatMessage[];
      readonly maxTokens?: number;
      readonly temperature?: number;
    },
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly text: string; readonly usage: Usage | null }>;
}

/** Shape of a picture: wide, as wide as high, or high. */
export type ImageAspectRatio = 'landscape' | 'square' | 'portrait';

/** What is to be drawn. */
export interface ImageRequest {
  readonly prompt: string;
  readonly aspectRatio: ImageAspectRatio;
  /** How many pictures; at least 1. */
  readonly count: number;
}

/** A picture: its bytes, or where it can be fetched. */
export type GeneratedImage =
  | { readonly bytes: Uint8Array; readonly mediaType: string }
  /** An `http(s)` address. */
  | { readonly url: string };

/** What an {@link ImageModel} made. */
export interface ImageAnswer {
  /** At most as many as were asked for; none where the model made none. */
  readonly images: readonly GeneratedImage[];
  /** The prompt as the model changed it; `null` where it did not say. */
  readonly revisedPrompt: string | null;
}

/** Makes pictures. Rejects like a {@link ToolModel}. */
export interface ImageModel {
  /** Shown in results. */
  readonly name: string;
  generate(request: ImageRequest, options: { readonly signal: AbortSignal }): Promise<ImageAnswer>;
}

/** What was fetched from an address. */
export interface FetchedBytes {
  /** At most `maxBytes` of them. */
  readonly bytes: Uint8Array;
  /** Whether there is more. */
  readonly isTruncated: boolean;
  /** HTTP status of the answer. @default 200 */
  readonly status?: number | undefined;
}

/**
 * Fetches what is at an `http(s)` address, under whatever rules hold for addresses that a model names. Rejects with
 * `UrlRefusedError` for one that must not be visited, and with the signal's reason after an abort. A `PolicyFetch` of
 * `@talaria/tools/web` is one.
 */
export type FetchBytes = (
  url: string,
  options: {
    readonly signal: AbortSignal;
    /** Most bytes to keep. */
    readonly maxBytes: number;
  },
) => Promise<FetchedBytes>;
