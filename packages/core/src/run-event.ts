import type { Failure } from './failure.ts';
import type { StopReason } from './stop-reason.ts';
import type { Usage } from './usage.ts';

/** Fields that every event has. */
export interface RunEventBase {
  /** Version of the event format. */
  readonly version: 1;
  readonly runId: string;
  readonly rolloutId: string;
  /** 0-based, without gaps, per rollout. */
  readonly sequence: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What happened, without who and when. */
export type RunEventBody =
  | { readonly type: 'rollout-start'; readonly environment: string; readonly itemKey: string; readonly sample: number }
  | { readonly type: 'turn-start'; readonly turn: number }
  | { readonly type: 'text-delta'; readonly turn: number; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly turn: number; readonly text: string }
  | {
      readonly type: 'tool-call-start';
      readonly turn: number;
      readonly toolCallId: string;
      readonly toolName: string;
      /** JSON text as the model wrote it. */
      readonly arguments: string;
    }
  | {
      readonly type: 'tool-call-end';
      readonly turn: number;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly isError: boolean;
      readonly durationMs: number;
    }
  | {
      readonly type: 'turn-end';
      readonly turn: number;
      readonly finishReason: string | null;
      readonly usage: Usage | null;
      readonly modelMs: number;
      readonly toolsMs: number;
    }
  | {
      readonly type: 'rollout-end';
      readonly stopReason: StopReason;
      /** `null` where the rollout was not scored. */
      readonly reward: number | null;
      readonly failure: Failure | null;
      readonly durationMs: number;
    };

/** One thing that happened in a run. The loop and the drivers emit it; displays, files and servers only encode it. */
export type RunEvent = RunEventBase & RunEventBody;
