import type { JsonObject } from '@talaria/core';
import type { ScriptedTurn } from '@talaria/model-client/testing';

/** A task of terminal-test: a file that has to hold exactly one text. */
export interface TerminalTestItem extends JsonObject {
  /** The file's name without its ending. */
  readonly id: string;
  /** Starts with `~/`: every rollout has a home folder of its own. */
  readonly path: string;
  readonly prompt: string;
  /** What the file has to hold; white space at both ends does not matter. */
  readonly expected: string;
}

/** Tasks of the train split, in the order in which they are given out. */
export const trainItems: readonly TerminalTestItem[] = [
  {
    id: 'greeting',
    path: '~/greeting.txt',
    prompt: 'Make a file ~/greeting.txt whose only line is: Hello from Talaria',
    expected: 'Hello from Talaria',
  },
  {
    id: 'count',
    path: '~/count.txt',
    prompt: 'Make a file ~/count.txt that holds the whole numbers from 1 to 5 in rising order, one on each line.',
    expected: '1\n2\n3\n4\n5',
  },
  {
    id: 'answer',
    path: '~/answer.txt',
    prompt: 'Add 123 and 456, and store the sum, digits only, in a file ~/answer.txt.',
    expected: '579',
  },
];

/** Tasks of the eval split. */
export const evalItems: readonly TerminalTestItem[] = [
  {
    id: 'result',
    path: '~/result.txt',
    prompt: 'Multiply 6 by 7, and store the product, digits only, in a file ~/result.txt.',
    expected: '42',
  },
];

/** The first action of the reference solution of each task. */
const solutions: Readonly<Record<string, ScriptedTurn>> = {
  greeting: callTool('write_file', { path: '~/greeting.txt', content: 'Hello from Talaria\n' }),
  count: callTool('terminal', { command: 'seq 1 5 > ~/count.txt' }),
  answer: callTool('terminal', { command: 'echo $((123 + 456)) > ~/answer.txt' }),
  result: callTool('terminal', { command: 'echo $((6 * 7)) > ~/result.txt' }),
};

/** Sums up wrongly: what a failing row looks like, told by the table and not by a special case of the reward. */
const wrongAnswer = callTool('terminal', { command: 'echo $((123 + 465)) > ~/answer.txt' });

/**
 * What the `scripted` model answers: it does the task through a tool, looks at the file, and says so. The second sample
 * (1) of `answer` is played wrong on purpose, so that a group of two shows a failing score as well.
 */
export function referenceTurns(item: TerminalTestItem, sample: number): readonly ScriptedTurn[] {
  const isPlayedWrong = item.id === 'answer' && sample === 1;
  const solution = isPlayedWrong ? wrongAnswer : solutions[item.id];
  if (solution === undefined) return [{ content: 'I do not know how to do this.' }];
  return [
    solution,
    callTool('terminal', { command: `cat ${item.path}` }),
    { content: `The file ${item.path} is written.` },
  ];
}

function callTool(name: string, args: Readonly<Record<string, unknown>>): ScriptedTurn {
  return { content: null, toolCalls: [{ name, arguments: args }] };
}
