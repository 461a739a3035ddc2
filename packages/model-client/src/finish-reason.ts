import type { FinishReason } from './chat-model.ts';

/** What servers say in place of OpenAI's words. */
const synonyms: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['eos', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool_calls'],
  ['tool_use', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['safety', 'content_filter'],
]);

/** The finish reason in OpenAI's words; `unknown` for none and for words that are not known. */
export function toFinishReason(rawFinishReason: string | null): FinishReason {
  return synonyms.get(rawFinishReason?.toLowerCase() ?? '') ?? 'unknown';
}
