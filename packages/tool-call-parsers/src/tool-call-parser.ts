/** What the parsers look at of a declared function. Its other properties are ignored. */
export interface DeclaredFunction {
  readonly name: string;
  readonly description?: string | undefined;
  readonly strict?: boolean | null | undefined;
  /** A JSON schema of an object. */
  readonly parameters?: object | null | undefined;
}

/**
 * A tool that the model was told of: Chat Completions shape, or Responses shape. Tools of other types may stand among
 * them. Anything of another shape is ignored, so `input_schema` or `inputSchema` must be given as `parameters`.
 */
export type ToolSchema =
  | { readonly type?: 'function' | undefined; readonly function: DeclaredFunction }
  | ({ readonly type?: 'function' | undefined } & DeclaredFunction)
  | { readonly type: string };

/** A call that was found. */
export interface ParsedToolCall {
  readonly id: string;
  readonly name: string;
  /** Text of one JSON object. */
  readonly arguments: string;
}

/**
 * What kind of fault a piece of text has: cut by the end of the text, not JSON, without a usable name, arguments that
 * are no JSON object, parts in a wrong place, too long or too deep, or (`internal`) a fault of the reading program.
 */
export type ParseErrorKind =
  | 'truncated'
  | 'bad-json'
  | 'bad-name'
  | 'bad-arguments'
  | 'bad-structure'
  | 'limit'
  | 'internal';

/** A piece of text that looked like a call and is none. Offsets are UTF-16 units of the input, of all deltas together. */
export interface ParseError {
  readonly kind: ParseErrorKind;
  /** Where the start marker begins, or what looked like a call. */
  readonly start: number;
  /** Where it was seen that this is no call: the character that does not fit, or the end of the text. */
  readonly end: number;
  /** For people. Branch on `kind`. */
  readonly message: string;
}

/** Options of parsing. */
export interface ParseOptions {
  /** The tools of the request. Without them, values that a format writes as plain text are taken for what they look like. */
  readonly tools?: readonly ToolSchema[] | undefined;
  /** Number of the first call, for formats whose ids count. @default 0 */
  readonly startIndex?: number | undefined;
  /** Must give another id each time, and not throw: a call without an id is none. @default `call_` + 24 random hex digits */
  readonly idFactory?: (() => string) | undefined;
  /** Why the engine stopped: with `length`, errors of kind `truncated` say so in their message. No more depends on it. */
  readonly finishReason?: 'stop' | 'length' | undefined;
}

/** What a text says. */
export interface ParseResult {
  /** Everything that is no call; `null` where there are calls and nothing else was said. */
  readonly content: string | null;
  readonly toolCalls: readonly ParsedToolCall[];
  readonly errors: readonly ParseError[];
}

/** When a stream lets a call out: whole, or as it comes (and then it may have to be withdrawn). */
export type CommitMode = 'call' | 'eager';

/** Options of {@link ToolCallParser.stream}. */
export interface StreamOptions extends ParseOptions {
  /** @default 'call' */
  readonly commit?: CommitMode | undefined;
}

/** A step of a streamed answer. */
export type StreamEvent =
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'call-start'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly type: 'call-arguments'; readonly index: number; readonly delta: string }
  | { readonly type: 'call-end'; readonly index: number; readonly arguments: string }
  /**
   * Commit mode `eager` only: the call is none after all, and the next call takes its index. `text` is what the model
   * wrote, up to where that was seen; what of it is content follows as `content` events, so drop the call, no more.
   */
  | { readonly type: 'call-abort'; readonly index: number; readonly text: string }
  | { readonly type: 'error'; readonly error: ParseError };

/** Reads one answer piece by piece. */
export interface StreamParser {
  /**
   * Takes the next piece of text, which must be a string: `undefined` is no empty one.
   * @throws ParserError `parser.finished` after `finish`, `parser.text` for what is no string
   */
  feed(delta: string): readonly StreamEvent[];
  /**
   * Says that the text is over, and gives what was held back until now. `reason` is `finishReason` of {@link ParseOptions}.
   * @throws ParserError `parser.finished` the second time
   */
  finish(reason?: 'stop' | 'length'): readonly StreamEvent[];
}

/** A call to be written: of a Chat Completions call, its `function`. */
export interface RenderCall {
  readonly id?: string | undefined;
  readonly name: string;
  /** JSON text (kept as it is) or an object. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** Options of {@link ToolCallParser.render}. */
export interface RenderOptions {
  /** Text before the calls. */
  readonly content?: string | null | undefined;
  /** The tools that `parse` will be given: formats that write values as plain text need them to tell `"1"` from `1`. */
  readonly tools?: readonly ToolSchema[] | undefined;
}

/** One text format of tool calls, both ways. */
export interface ToolCallParser {
  readonly name: string;
  /** Other names under which a registry finds it. */
  readonly aliases?: readonly string[] | undefined;
  /** The texts with which a call begins: where none occurs, the text holds no call. Empty for formats without markers. */
  readonly startMarkers: readonly string[];
  /** Never throws, whatever the text. Equal to the stream fed once. */
  parse(text: string, options?: ParseOptions): ParseResult;
  /** @throws ParserError `parser.option` for a commit mode that there is not */
  stream(options?: StreamOptions): StreamParser;
  /** @throws UnrenderableError for what the format cannot hold */
  render(calls: readonly RenderCall[], options?: RenderOptions): string;
  /** Whether `render` would succeed. */
  canRender(calls: readonly RenderCall[], options?: RenderOptions): boolean;
}
