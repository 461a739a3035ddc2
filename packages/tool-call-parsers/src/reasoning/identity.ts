import { assembleReasoningParser } from './assemble-reasoning-parser.ts';
import type { ReasoningParser } from './reasoning-parser.ts';

/** For models that do not reason: everything is content, unchanged. */
export const identity: ReasoningParser = /* @__PURE__ */ assembleReasoningParser({
  name: 'identity',
  startsInReasoning: false,
  callsInReasoning: 'ignore',
  isOpenAfter: () => false,
  createReader() {
    let start = 0;
    return (delta) => {
      const event = { type: 'content', text: delta, start } as const;
      start += delta.length;
      return delta === '' ? [] : [event];
    };
  },
});
