import type { Answer } from '../stream/answer.ts';

/** Calls that are said only once something behind them was read. */
export interface HeldCalls {
  /** From its first call on, it keeps what it is told. */
  readonly answer: Answer;
  hasCalls(): boolean;
  /** Says everything that was kept. */
  release(): void;
}

/** Holds calls back. Eager mode still shows the first of them. */
export function holdCalls(answer: Answer): HeldCalls {
  const { window, open, text, fail } = answer;
  const steps: (() => void)[] = [];

  function hold(step: () => void): void {
    const { position } = window;
    steps.push(() => {
      window.rewind(position);
      step();
    });
  }

  return {
    answer: {
      ...answer,
      open: (start, progress) => (steps.length > 0 ? hold(() => open(start)) : open(start, progress)),
      text: (to) => (steps.length > 0 ? hold(() => text(to)) : text(to)),
      skip: (to) => hold(() => answer.skip(to)),
      call: (call) => hold(() => answer.call(call)),
      fail(kind, reason, resumeAt) {
        if (steps.length === 0) return fail(kind, reason, resumeAt);
        hold(() => fail(kind, reason, resumeAt));
        window.rewind(resumeAt);
      },
    },
    hasCalls: () => steps.length > 0,
    release: () => {
      for (const step of steps) step();
    },
  };
}
