import { type JsonObject, openDeadline, truncateText } from '@talaria/core';
import { toolFromOptions } from '../../define-tool.ts';
import type { Tool, ToolAvailability, ToolCallContext, ToolErrorKind, ToolResult } from '../../tool.ts';
import { isToolResult, markedResult } from '../../tool-result.ts';
import type { ToolStateKey } from '../../tool-state.ts';
import { UrlRefusedError } from '../../web/url-policy/index.ts';
import type { BrowserSession, BrowserStep, PageState } from '../browser-driver.ts';
import { BrowserError } from '../browser-error.ts';
import type { SessionSlot } from '../session-slot.ts';

/** What all tools of one driver share. */
export interface BrowserToolsSetup {
  /** `null`: the tools are not offered. */
  readonly key: ToolStateKey<SessionSlot> | null;
  readonly checkAvailability: () => ToolAvailability;
  /** Wall clock of one step, in milliseconds. */
  readonly stepTimeoutMs: number;
  /** Wall clock of opening a page, in milliseconds. */
  readonly navigateTimeoutMs: number;
  /** How long to wait until a browser is free, in milliseconds. */
  readonly openTimeoutMs: number;
  readonly maxSnapshotChars: number;
}

/** What a step works with. */
export interface BrowserStepContext extends BrowserStep {
  readonly session: BrowserSession;
  readonly slot: SessionSlot;
  readonly call: ToolCallContext;
}

/** What {@link browserTool} takes. */
export interface BrowserToolOptions<Args extends object> {
  readonly name: string;
  readonly description: string | ((availableTools: ReadonlySet<string>) => string);
  readonly parameters: JsonObject;
  /** @default that of the setup */
  readonly checkAvailability?: (() => ToolAvailability) | undefined;
  /** @default the setup's `stepTimeoutMs` */
  readonly timeoutMs?: number | undefined;
  /** What to do where no page is open: open a browser, or refuse. @default 'refuse' */
  readonly withoutSession?: 'open' | 'refuse' | undefined;
  /** Fields of the result beside `success` and `notes`. */
  readonly execute: (args: Args, step: BrowserStepContext) => Promise<JsonObject | ToolResult>;
}

/**
 * A tool that makes one step of the rollout's browser: one at a time, within its limit. The time that is spent waiting for a
 * browser is not the step's.
 */
export function browserTool<Args extends object>(setup: BrowserToolsSetup, options: BrowserToolOptions<Args>): Tool {
  const { name, description, parameters, withoutSession = 'refuse' } = options;
  const timeoutMs = options.timeoutMs ?? setup.stepTimeoutMs;
  return toolFromOptions<Args>({
    name,
    description,
    parameters,
    toolset: 'browser',
    sideEffect: 'external',
    // Each step has a limit of its own, since it may first have to wait for a browser.
    timeoutMs: Number.POSITIVE_INFINITY,
    checkAvailability: options.checkAvailability ?? setup.checkAvailability,
    async execute(args, call) {
      if (setup.key === null) return failedStep('not_available', 'No browser is configured.');
      const slot = call.state.get(setup.key);
      try {
        using _turn = await slot.enter(call.signal);
        const session = withoutSession === 'open' ? await openSession(slot, setup, call) : await slot.current();
        if (session === undefined) {
          return failedStep('not_found', 'No page is open. Open one with browser_navigate first.');
        }
        return await runStep({ session, slot, call, timeoutMs }, (step) => options.execute(args, step));
      } catch (error) {
        call.signal.throwIfAborted();
        return explainFailure(error, []);
      }
    },
  });
}

async function openSession(
  slot: SessionSlot,
  { openTimeoutMs }: BrowserToolsSetup,
  { clock, signal }: ToolCallContext,
): Promise<BrowserSession> {
  using deadline = openDeadline(clock, openTimeoutMs, signal);
  try {
    return await slot.open(deadline.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!deadline.isExpired()) throw error;
    throw new BrowserError('timeout', `No browser was free within ${seconds(openTimeoutMs)} s. Try again later.`);
  }
}

async function runStep(
  options: Omit<BrowserStepContext, 'signal'> & { readonly timeoutMs: number },
  action: (step: BrowserStepContext) => Promise<JsonObject | ToolResult>,
): Promise<ToolResult> {
  const { session, slot, call, timeoutMs } = options;
  using deadline = openDeadline(call.clock, timeoutMs, call.signal);
  try {
    const result = await action({ session, slot, call, signal: deadline.signal });
    if (isToolResult(result)) return result;
    return markedResult({ success: true, ...result, ...notesOf(session.takeNotes()) }, null);
  } catch (error) {
    call.signal.throwIfAborted();
    const notes = session.takeNotes();
    if (deadline.isExpired()) {
      const message = `Not done within ${seconds(timeoutMs)} s. Look at the page with browser_snapshot, or open another one.`;
      return failedStep('timeout', message, notes);
    }
    return explainFailure(error, notes);
  }
}

function explainFailure(error: unknown, notes: readonly string[]): ToolResult {
  if (error instanceof BrowserError || error instanceof UrlRefusedError) {
    // What refused an address is told once.
    const others = notes.filter((note) => !note.includes(error.message));
    return failedStep(error.kind, error.message, others);
  }
  throw error;
}

/** A step that failed, as the model sees it. */
export function failedStep(
  kind: ToolErrorKind,
  message: string,
  notes: readonly string[] = [],
  extra: JsonObject = {},
): ToolResult {
  return markedResult({ success: false, error: message, error_kind: kind, ...extra, ...notesOf(notes) }, kind);
}

function notesOf(notes: readonly string[]): JsonObject {
  return notes.length === 0 ? {} : { notes };
}

function seconds(durationMs: number): number {
  return Math.round(durationMs / 1_000);
}

/** Does something to the page, and gives `url` and `title` where it changed them. */
export async function withChanges(step: BrowserStepContext, action: () => Promise<JsonObject>): Promise<JsonObject> {
  const before = await step.session.state(step);
  step.slot.shownSnapshot = undefined;
  const result = await action();
  return { ...result, ...changesOf(before, await step.session.state(step)) };
}

function changesOf(before: PageState, after: PageState): JsonObject {
  if (before.url === after.url && before.title === after.title) return {};
  return shownPage(after);
}

/** Longest title and longest address that are shown, in UTF-16 units. */
const maxTitleChars = 500;
const maxUrlChars = 2_000;

/** A page as results tell it: pages may give themselves titles and addresses of any length. */
export function shownPage({ url, title }: PageState): { readonly url: string; readonly title: string } {
  return { url: truncateText(url, maxUrlChars), title: truncateText(title, maxTitleChars) };
}
