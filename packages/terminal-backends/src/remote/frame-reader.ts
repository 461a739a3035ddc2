const openTag = (nonce: string) => Buffer.from(`\x1eB:${nonce}\x1e`);
const endTag = (nonce: string) => Buffer.from(`\x1eE:${nonce}:`);
const closeTag = (nonce: string) => Buffer.from(`\x1eZ:${nonce}\x1e`);

/** What a launcher says at the end of an answer. */
export interface AnswerEnd {
  /** A number, or a word where nothing was started. */
  readonly status: string;
  /** Whether the command saved its state. */
  readonly hasSaved: boolean;
  /** What stands behind: the folder in which the command ended. */
  readonly folder: string;
}

/** Takes one answer out of the bytes that a launcher writes. */
export interface FrameReader {
  /** Takes the next bytes; gives the end once it is there. */
  feed(chunk: Buffer): AnswerEnd | null;
  /** Bytes are missing here: what was held back is no tag. Says whether they belong to the answer. */
  cutOff(): boolean;
}

/**
 * Creates the reader of the answer with this nonce. What stands before its start is dropped: it comes from the background
 * of an earlier command. The bytes of the answer are handed on as they come; only what may be the beginning of its end is
 * held back.
 */
export function createFrameReader(nonce: string, hear: (bytes: Buffer) => void): FrameReader {
  let tag = openTag(nonce);
  let state: 'before' | 'inside' | 'end' = 'before';
  let held: Buffer = Buffer.alloc(0);

  /** Cuts off what stands before the tag; what may belong to a tag that is not all there is kept. */
  function cut(): { before: Buffer; isFound: boolean } {
    const at = held.indexOf(tag);
    if (at >= 0) {
      const before = held.subarray(0, at);
      held = held.subarray(at + tag.length);
      return { before, isFound: true };
    }
    const from = held.indexOf(0x1e, Math.max(0, held.length - tag.length + 1));
    const before = from < 0 ? held : held.subarray(0, from);
    held = from < 0 ? Buffer.alloc(0) : held.subarray(from);
    return { before, isFound: false };
  }

  return {
    feed(chunk) {
      held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (state === 'before') {
        if (!cut().isFound) return null;
        state = 'inside';
        tag = endTag(nonce);
      }
      if (state === 'inside') {
        const { before, isFound } = cut();
        if (before.length > 0) hear(before);
        if (!isFound) return null;
        state = 'end';
        tag = closeTag(nonce);
      }
      const at = held.indexOf(tag);
      return at < 0 ? null : parseEnd(held.toString('utf8', 0, at));
    },
    cutOff() {
      if (state === 'inside' && held.length > 0) hear(held);
      held = Buffer.alloc(0);
      return state === 'inside';
    },
  };
}

function parseEnd(text: string): AnswerEnd {
  const [status = '', saved = '', ...folder] = text.split(':');
  return { status, hasSaved: saved === '1', folder: folder.join(':') };
}
