const newline = 0x0a;

/** Bytes before each line of standard output in the log of a session. */
export const stdoutMark: Buffer = Buffer.from([1, 1, 1]);
/** Bytes before each line of standard error. */
export const stderrMark: Buffer = Buffer.from([2, 2, 2]);

/** Cuts a stream into the lines of a log. */
export interface LineLabeler {
  /** The lines that are complete now. */
  push(bytes: Buffer): Buffer;
  /** What is left, at the end. */
  end(): Buffer;
}

/**
 * Labels lines as the daemon's shell does, which is no exact copy: a line is held back until it is complete, zero bytes
 * get lost, and a last line without an end gets one.
 */
export function createLineLabeler(mark: Buffer): LineLabeler {
  let rest: Buffer = Buffer.alloc(0);
  const label = (line: Buffer): Buffer => Buffer.concat([mark, line.filter((byte) => byte !== 0), Buffer.from('\n')]);
  return {
    push(bytes) {
      rest = Buffer.concat([rest, bytes]);
      const lines: Buffer[] = [];
      for (let end = rest.indexOf(newline); end !== -1; end = rest.indexOf(newline)) {
        lines.push(label(rest.subarray(0, end)));
        rest = rest.subarray(end + 1);
      }
      return Buffer.concat(lines);
    },
    end() {
      const last = rest;
      rest = Buffer.alloc(0);
      return last.length === 0 ? last : label(last);
    },
  };
}

/** The lines of a log that carry one of the marks, without it. */
export function linesOf(log: Buffer, marks: readonly Buffer[]): string {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = log.indexOf(newline, start); end !== -1; end = log.indexOf(newline, start)) {
    const line = log.subarray(start, end + 1);
    if (marks.some((mark) => mark.equals(line.subarray(0, mark.length)))) lines.push(line.subarray(stdoutMark.length));
    start = end + 1;
  }
  return Buffer.concat(lines).toString('utf8');
}
