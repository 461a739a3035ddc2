import type { ToolAvailability } from '../tool.ts';
import type { ConsoleRecord } from './console-log.ts';

/** What drives browsers for the tools `browser_*`. Disposing of it ends its sessions and all that it started. */
export interface BrowserDriver extends AsyncDisposable {
  /** Shown in logs and by `talaria tools doctor`. */
  readonly name: string;
  /** Whether sessions can show how a page looks. */
  readonly canTakeScreenshots: boolean;
  /** Whether it could start here. Quick, and starts nothing. */
  checkAvailability(): ToolAvailability;
  /**
   * Opens a session with cookies, storage and history of its own. Waits while as many are open as the driver allows at a time.
   *
   * @throws BrowserError where the browser cannot be started; rejects with the signal's reason
   */
  open(options: BrowserStep): Promise<BrowserSession>;
}

/** What bounds a step: aborted by its time limit or by the caller. */
export interface BrowserStep {
  readonly signal: AbortSignal;
}

/** The page that a session shows. */
export interface PageState {
  /** `about:blank` before the first page. */
  readonly url: string;
  readonly title: string;
}

/** How a navigation ended. */
export interface NavigationOutcome {
  /** HTTP status; `null` where there is none. */
  readonly status: number | null;
}

/** What was typed into. */
export interface TypedInto {
  /** Whether what was typed must not be shown: a field for passwords. */
  readonly isSecret: boolean;
}

/** Up or down the page. */
export type ScrollDirection = 'up' | 'down';

/** Where a page stands after it was scrolled. */
export interface ScrollOutcome {
  /** Whether anything moved. */
  readonly hasMoved: boolean;
}

/** An image of a page. */
export interface PageImage {
  /** Absolute; of data in the address only the beginning. */
  readonly src: string;
  readonly alt: string;
  /** In pixels; 0 where it is not known. */
  readonly width: number;
  /** In pixels; 0 where it is not known. */
  readonly height: number;
}

/**
 * The browser of one rollout. Steps are made one after another. A step rejects with a `BrowserError` or a `UrlRefusedError`
 * whose message is fit for the model, and with the signal's reason soon after an abort; the session can be used again then.
 * Refs are given without `@`.
 */
export interface BrowserSession extends AsyncDisposable {
  /** Whether it ended by itself, as when the browser was killed. It can only be disposed of then. */
  readonly isLost: boolean;
  /** What is shown now. */
  state(step: BrowserStep): Promise<PageState>;
  /** Opens an address and waits until its document was read. */
  navigate(url: string, step: BrowserStep): Promise<NavigationOutcome>;
  /** The page as an outline: lines of `- role "name" [state] [ref=e1]: text`, indented by two blanks per level. */
  snapshot(step: BrowserStep): Promise<string>;
  click(ref: string, step: BrowserStep): Promise<void>;
  /** Replaces what a field holds, or chooses the option of that name. */
  type(ref: string, text: string, step: BrowserStep): Promise<TypedInto>;
  scroll(direction: ScrollDirection, step: BrowserStep): Promise<ScrollOutcome>;
  /** Goes to the page before. @throws BrowserError `not_found` where there is none */
  back(step: BrowserStep): Promise<void>;
  /** Presses a key by its name (`Enter`, `a`, `Control+a`) where the focus is. */
  press(key: string, step: BrowserStep): Promise<void>;
  images(step: BrowserStep): Promise<readonly PageImage[]>;
  /** The visible part as PNG; with `isAnnotated`, the refs are written on the elements. @throws BrowserError `not_available` */
  screenshot(options: { readonly isAnnotated: boolean }, step: BrowserStep): Promise<Uint8Array>;
  /** What pages wrote and which scripts failed since the session began or the record was cleared. */
  readonly console: ConsoleRecord;
  /** What happened that nobody asked for, such as dialogs, since this was last called. */
  takeNotes(): readonly string[];
}
