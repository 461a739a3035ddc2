import {
  type AnswerParser,
  createAnswerParser,
  detectFormats,
  getParser,
  listParsers,
  listReasoningParsers,
} from '@talaria/tool-call-parsers';
import { fillSelect, getElement } from './elements.ts';
import { readTools } from './read-tools.ts';
import { sampleTools, writeSample } from './sample.ts';
import { showAnswer } from './show-answer.ts';
import { streamText } from './stream-text.ts';

const hint = getElement('hint', HTMLTextAreaElement);
const detected = getElement('detected', HTMLOutputElement);
const parserSelect = getElement('parser', HTMLSelectElement);
const reasoningSelect = getElement('reasoning', HTMLSelectElement);
const text = getElement('text', HTMLTextAreaElement);
const tools = getElement('tools', HTMLTextAreaElement);
const toolsFault = getElement('tools-fault', HTMLOutputElement);
const target = getElement('result', HTMLDivElement);
const commit = getElement('commit', HTMLSelectElement);
const deltaLength = getElement('delta-length', HTMLInputElement);
const deltaLengthShown = getElement('delta-length-shown', HTMLOutputElement);
const eventList = getElement('events', HTMLTextAreaElement);
const progress = getElement('progress', HTMLParagraphElement);
const verdict = getElement('verdict', HTMLOutputElement);

/** The sample that was put into the text field; as long as it stands there, it follows the choice of the parser. */
let sample = '';
let stopStream = (): void => undefined;

function currentParser(): AnswerParser {
  return createAnswerParser({ reasoning: reasoningSelect.value, toolCalls: getParser(parserSelect.value) });
}

/** Ids that count, so that a text gives the same each time. */
function currentOptions() {
  let callCount = 0;
  return { tools: readTools(tools.value).tools, idFactory: () => `call_${callCount++}` };
}

/** Reads the text as a whole. */
function read(): void {
  clearStream();
  toolsFault.textContent = readTools(tools.value).fault ?? '';
  showAnswer(currentParser().parse(text.value, currentOptions()), text.value, { target, select });
}

function select(start: number, end: number): void {
  text.focus();
  text.setSelectionRange(start, end);
}

function stream(): void {
  clearStream();
  deltaLengthShown.textContent = deltaLength.value;
  const parser = currentParser();
  stopStream = streamText({
    stream: parser.stream({ ...currentOptions(), commit: commit.value === 'eager' ? 'eager' : 'call' }),
    text: text.value,
    deltaLength: deltaLength.valueAsNumber,
    whole: parser.parse(text.value, currentOptions()),
    eventList,
    progress,
    verdict,
  });
}

/** A stream of what stood there before ends, and nothing of it remains. */
function clearStream(): void {
  stopStream();
  eventList.value = '';
  progress.textContent = '';
  verdict.textContent = '';
}

function putSample(): void {
  sample = writeSample(getParser(parserSelect.value));
  text.value = sample;
  tools.value = JSON.stringify(sampleTools, null, 2);
  read();
}

function changeParser(): void {
  if (text.value === sample) putSample();
  else read();
}

function detect(): void {
  const [best, ...others] = detectFormats(hint.value);
  if (best === undefined) {
    detected.textContent = hint.value.trim() === '' ? '' : 'No format that is known. Choose a parser.';
    return;
  }
  const also = others.length === 0 ? '' : `; or ${others.map((found) => found.parser).join(', ')}`;
  detected.textContent = `${best.parser}, confidence ${best.confidence}: ${best.evidence}${also}`;
  parserSelect.value = best.parser;
  reasoningSelect.value = best.reasoning ?? 'identity';
  changeParser();
}

fillSelect(parserSelect, listParsers());
fillSelect(reasoningSelect, listReasoningParsers());
parserSelect.value = 'hermes';
reasoningSelect.value = 'identity';
deltaLengthShown.textContent = deltaLength.value;
hint.addEventListener('input', detect);
parserSelect.addEventListener('change', changeParser);
for (const field of [reasoningSelect, text, tools]) field.addEventListener('input', read);
for (const field of [commit, deltaLength]) field.addEventListener('input', stream);
getElement('sample', HTMLButtonElement).addEventListener('click', putSample);
getElement('stream', HTMLButtonElement).addEventListener('click', stream);
putSample();
