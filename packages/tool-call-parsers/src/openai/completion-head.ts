import { createCallId } from '../stream/call-id.ts';

/** What a response says of itself, whatever the model answered. */
export interface CompletionHeadOptions {
  /** Name of the model, as the client is to see it. */
  readonly model: string;
  /** @default `chatcmpl-` and 24 random hexadecimal digits */
  readonly id?: string | undefined;
  /** Unix time in seconds. @default now */
  readonly created?: number | undefined;
  /** @default absent */
  readonly systemFingerprint?: string | undefined;
}

/** Those fields on the wire. */
export interface CompletionHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint?: string;
}

/** Writes the fields; the one place where clock and random numbers supply defaults. */
export function createCompletionHead(options: CompletionHeadOptions): CompletionHead {
  const { model, systemFingerprint } = options;
  return {
    id: options.id ?? createCallId().replace('call_', 'chatcmpl-'),
    created: options.created ?? Math.floor(Date.now() / 1000),
    model,
    ...(systemFingerprint === undefined ? {} : { system_fingerprint: systemFingerprint }),
  };
}
