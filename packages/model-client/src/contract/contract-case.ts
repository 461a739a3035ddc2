import type { ChatModel, ChatRequest } from '../chat-model.ts';
import type { ScriptedTurn } from '../testing/scripted-turn.ts';

/**
 * One thing that every model promises. The model under test must answer the case's requests with the case's turns, in
 * this order: a scripted one is given the turns, a client a server that plays them, a recording was made of them.
 */
export interface ChatModelContractCase {
  readonly name: string;
  readonly requests: readonly ChatRequest[];
  readonly turns: readonly ScriptedTurn[];
  /** Whether the model must take the time that a turn says; a model that cannot leaves such cases out. */
  readonly needsDelay: boolean;
  /** Opens a model and tries it. Rejects where the promise is broken. */
  readonly run: (open: () => Promise<ChatModel>) => Promise<void>;
}

/** What every case asks. */
export function question(): ChatRequest {
  return {
    messages: [
      { role: 'system', content: 'You look into folders.' },
      { role: 'user', content: 'What is here?' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'look', parameters: { type: 'object', properties: { path: { type: 'string' } } } },
      },
    ],
    temperature: 1,
  };
}

/** An answer with everything in it. */
export function richTurn(): ScriptedTurn {
  return {
    reasoning: 'I should look first.',
    content: 'The files are:',
    toolCalls: [
      { name: 'look', arguments: { path: '/tmp' }, id: 'call_a' },
      { name: 'look', arguments: { path: '/var/ö' }, id: 'call_b' },
    ],
  };
}

/** Longer than any test waits. */
export function slowTurn(): ScriptedTurn {
  return { content: 'Too late', delayMs: 600_000 };
}

/** A case of one request and one turn. */
export function contractCase(
  name: string,
  turn: ScriptedTurn,
  check: (model: ChatModel, request: ChatRequest) => Promise<void>,
): ChatModelContractCase {
  const request = question();
  return {
    name,
    requests: [request],
    turns: [turn],
    needsDelay: false,
    async run(open) {
      await using model = await open();
      await check(model, request);
    },
  };
}
