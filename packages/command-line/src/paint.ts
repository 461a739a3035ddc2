import type { Host, OutputStream } from './host.ts';

/** Colours that mean something: good, bad, and what matters less. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly faint: (text: string) => string;
}

const plain: Paint = { good: (text) => text, bad: (text) => text, faint: (text) => text };

const coloured: Paint = {
  good: (text) => `\u001B[32m${text}\u001B[39m`,
  bad: (text) => `\u001B[31m${text}\u001B[39m`,
  faint: (text) => `\u001B[2m${text}\u001B[22m`,
};

/** The colours of a stream: none where it is no terminal, or where `NO_COLOR` or `TERM=dumb` asks for none. */
export function paintFor(host: Host, stream: OutputStream): Paint {
  const { NO_COLOR: noColor, TERM: terminal } = host.variables;
  return stream.isTerminal && (noColor ?? '') === '' && terminal !== 'dumb' ? coloured : plain;
}
