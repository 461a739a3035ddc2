export { type Deadline, DeadlineExceeded, isAbortOf, openDeadline, openOrDiscard, raceAbort } from './abort.ts';
export {
  type AssistantMessage,
  type ChatMessage,
  type ContentPart,
  messageText,
  type SystemMessage,
  type ToolCall,
  type ToolDefinition,
  type ToolMessage,
  type UserMessage,
} from './chat-message.ts';
export { type ClippedText, clipText, truncateText } from './clip-text.ts';
export { type Clock, type SleepOptions, systemClock } from './clock.ts';
export { createDisposalStack, type DisposalStack, type DisposalStackOptions, settleWithin } from './dispose.ts';
export {
  assertNever,
  ConfigError,
  errorMessage,
  InternalError,
  isTalariaError,
  ModelError,
  type ModelErrorOptions,
  SandboxError,
  type SandboxErrorOptions,
  StateError,
  systemErrorCode,
  TalariaError,
  type TalariaErrorOptions,
  TaskError,
} from './errors.ts';
export { type Failure, type FailureBoundary, toFailure } from './failure.ts';
export { type CreateId, contentHash, createId } from './identifier.ts';
export { canonicalJson, isJsonObject, type JsonObject, type JsonResult, type JsonValue, parseJson } from './json.ts';
export { type LogFields, type Logger, silentLogger } from './logger.ts';
export { describeMachine, type Machine } from './machine.ts';
export { type MakeFolderOptions, makeFolder } from './make-folder.ts';
export { type MapConcurrentOptions, mapConcurrent } from './map-concurrent.ts';
export { editDistance, nearestName } from './nearest-name.ts';
export { quoteShell } from './quote-shell.ts';
export { type RandomSource, seededRandom } from './random.ts';
export { createRedactor, type Redactor, redactSecrets } from './redactor.ts';
export { backoffMs, type RetryOptions, retry } from './retry.ts';
export type { RunEvent, RunEventBase, RunEventBody } from './run-event.ts';
export { Secret } from './secret.ts';
export { secretForms } from './secret-forms.ts';
export { createSemaphore, type Semaphore } from './semaphore.ts';
export { isInfrastructureStop, type StopReason } from './stop-reason.ts';
export { addUsage, noUsage, type Usage } from './usage.ts';
