import { detectByName } from './detect-by-name.ts';
import { detectByTemplate } from './detect-by-template.ts';
import type { DetectedFormat } from './detected-format.ts';

/** What only a template holds: expressions, tags, several lines. A path or a model name holds none of it. */
const templateMark = /\{[{%#]|[<\n]/;

/** No model name or path is longer. */
const longestName = 1024;

/**
 * Suggests a parser for a model, from the text of its chat template (any template language, also as it is written in a
 * JSON file) or from its name: a Hugging Face id with or without the organisation, a file path, a name with quantisation
 * suffixes, an Ollama tag. The template says more than the name: prefer it. `undefined` where nothing is known.
 */
export function detectFormat(chatTemplateOrModelName: string): DetectedFormat | undefined {
  return detectFormats(chatTemplateOrModelName)[0];
}

/** Every parser that {@link detectFormat} may suggest, the most fitting first, each once. */
export function detectFormats(chatTemplateOrModelName: string): readonly DetectedFormat[] {
  if (templateMark.test(chatTemplateOrModelName)) return detectByTemplate(chatTemplateOrModelName);
  return chatTemplateOrModelName.length > longestName ? [] : detectByName(chatTemplateOrModelName);
}
