/** A message of the program that looks after a script. */
export interface ScriptFrame {
  /** One letter, see {@link frameKinds}. */
  readonly kind: string;
  readonly body: Buffer;
}

/** What frames there are. */
export const frameKinds = {
  /** There is no Python. */
  missing: 'm',
  /** Its version, which is too old. */
  outdated: 'v',
  /** Python runs. */
  started: 's',
  /** Why the script could not be started. */
  failed: 'f',
  /** A request: 32 hexadecimal digits that name it, then JSON, or nothing where it was no file or too large. */
  call: 'c',
  /** What was kept of the standard output. */
  output: 'o',
  /** What was kept of the standard error. */
  errors: 'e',
  /** How the script ended, as JSON. */
  ended: 'x',
  /** Something may still run, and waits to be ended. */
  left: 'l',
} as const;

/** Takes frames `\x02<length>:<kind><body>` out of a stream that comes in pieces. */
export interface FrameReader {
  /** Takes a piece; gives the frames that it completes. */
  push(chunk: Uint8Array): readonly ScriptFrame[];
  /** Whether something else came than frames. Nothing more is read then. */
  readonly isBroken: boolean;
}

/** Not the separator that backends mark the end of an answer with, which they hold back until they know what follows. */
const startByte = 0x02;
const colonByte = 0x3a;
/** Digits of a length. */
const maxDigits = 9;
/** What may come before the first frame: a shell's remarks. */
const maxPreludeBytes = 65_536;

/** Creates one. A frame of more than `maxFrameBytes` breaks the stream, so that whoever writes it cannot fill memory. */
export function createFrameReader(maxFrameBytes: number): FrameReader {
  let pieces: Buffer[] = [];
  let heldBytes = 0;
  let neededBytes = 0;
  let preludeBytes: number | null = 0;
  let isBroken = false;

  function fail(): null {
    isBroken = true;
    pieces = [];
    return null;
  }

  /** The bytes held, from the start of the first frame on. */
  function afterPrelude(held: Buffer): Buffer | null {
    if (preludeBytes === null) return held;
    const at = held.indexOf(startByte);
    preludeBytes += at < 0 ? held.length : at;
    if (preludeBytes > maxPreludeBytes) return fail();
    if (at < 0) return held.subarray(held.length);
    preludeBytes = null;
    return held.subarray(at);
  }

  /** The next frame; `null` where there is none yet. */
  function take(held: Buffer): { readonly frame: ScriptFrame; readonly rest: Buffer } | null {
    if (held.length === 0) return null;
    if (held[0] !== startByte) return fail();
    const colon = held.subarray(0, maxDigits + 2).indexOf(colonByte);
    if (colon < 0) return held.length < maxDigits + 2 ? null : fail();
    const digits = held.toString('latin1', 1, colon);
    const length = Number(digits);
    if (!/^[0-9]+$/.test(digits) || length < 1 || length > maxFrameBytes) return fail();
    const end = colon + 1 + length;
    if (held.length < end) {
      neededBytes = end;
      return null;
    }
    const frame = { kind: held.toString('latin1', colon + 1, colon + 2), body: held.subarray(colon + 2, end) };
    return { frame, rest: held.subarray(end) };
  }

  return {
    push(chunk) {
      if (isBroken) return [];
      pieces.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      heldBytes += chunk.byteLength;
      // A large frame is put together once, not with each of its pieces.
      if (heldBytes < neededBytes) return [];
      const frames: ScriptFrame[] = [];
      let held = afterPrelude(Buffer.concat(pieces));
      neededBytes = 0;
      while (held !== null) {
        const taken = take(held);
        if (taken === null) break;
        frames.push(taken.frame);
        held = taken.rest;
      }
      pieces = isBroken || held === null || held.length === 0 ? [] : [held];
      heldBytes = pieces[0]?.length ?? 0;
      return frames;
    },
    get isBroken() {
      return isBroken;
    },
  };
}
