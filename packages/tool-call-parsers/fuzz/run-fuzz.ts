import type { CommitMode } from '@talaria/tool-call-parsers';
import { cutEvery, cutRandomly } from '../src/contract/chunkings.ts';
import { checkProseKept } from './check-prose-kept.ts';
import { checkCut, checkReadBack, checkStreamed, checkWhole } from './check-reading.ts';
import type { FormatMaterial } from './format-material.ts';
import { type FuzzInput, generateInput, generateProse } from './generate-input.ts';
import { createRandomSource, type RandomSource } from './random-source.ts';
import { shrinkText } from './shrink-text.ts';
import { commonFragments } from './vector-tokens.ts';

/** What is run. */
export interface FuzzOptions {
  readonly formats: readonly FormatMaterial[];
  /** Fixes every input, together with its number. */
  readonly seed: number;
  /** How many inputs, over all formats. */
  readonly runs: number;
  /** Number of the first input, to run one again. @default 0 */
  readonly first?: number | undefined;
  /** Asked now and then; what was run so far counts. @default never */
  readonly isOver?: ((inputs: number) => boolean) | undefined;
}

/** An input that broke a promise. */
export interface FuzzFailure {
  readonly format: string;
  /** Its number: the same seed and number give it again. */
  readonly number: number;
  readonly text: string;
  readonly message: string;
  /** A shorter text that breaks a promise too. */
  readonly shortText: string;
  readonly shortMessage: string;
  readonly tools: FuzzInput['tools'];
}

/** How a run went. */
export interface FuzzReport {
  readonly inputs: number;
  /** UTF-16 units of all inputs. */
  readonly characters: number;
  /** Calls that were found in each format. A format without any was not tested for more than text. */
  readonly calls: ReadonlyMap<string, number>;
  readonly failure?: FuzzFailure | undefined;
}

const commitModes: readonly CommitMode[] = ['call', 'eager'];

/** Reads generated texts, format by format in turn, until one breaks a promise. */
export function runFuzz({ formats, seed, runs, first = 0, isOver }: FuzzOptions): FuzzReport {
  const calls = new Map(formats.map((format) => [format.parser.name, 0]));
  const strangers = [...commonFragments, ...formats.flatMap((format) => format.parser.startMarkers)];
  let inputs = 0;
  let characters = 0;
  for (let number = first; number < first + runs; number += 1) {
    const material = formats[number % formats.length];
    if (material === undefined || (inputs % 1024 === 0 && isOver?.(inputs) === true)) break;
    const random = createRandomSource(inputSeed(seed, number));
    const input = generateInput(material, strangers, random);
    const { name } = material.parser;
    inputs += 1;
    characters += input.text.length;
    try {
      calls.set(name, (calls.get(name) ?? 0) + checkInput(material, input, random));
    } catch (error) {
      return { inputs, characters, calls, failure: describeFailure(material, input, number, error) };
    }
  }
  return { inputs, characters, calls };
}

/** Neighbouring numbers must not give related inputs. */
function inputSeed(seed: number, number: number): number {
  return Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
}

/** Whole, and in one random chunking; the commit modes take turns. Gives the number of calls. */
function checkInput(material: FormatMaterial, input: FuzzInput, random: RandomSource): number {
  const { parser } = material;
  const whole = checkWhole(parser, input);
  const isByUnits = random.chance(0.2);
  const pieces = isByUnits ? cutEvery(input.text, 1) : cutRandomly(input.text, random.number);
  checkStreamed(parser, input, pieces, random.pick(commitModes), whole);
  if (random.chance(0.1)) checkCut(parser, input, random.below(input.text.length + 1), whole);
  if (whole.toolCalls.length > 0 && random.chance(0.25)) checkReadBack(parser, input, whole);
  if (whole.toolCalls.length > 0 && random.chance(0.25)) checkProseKept(parser, input, generateProse(material, random));
  return whole.toolCalls.length;
}

function describeFailure(material: FormatMaterial, input: FuzzInput, number: number, error: unknown): FuzzFailure {
  const shortText = shrinkText(input.text, (text) => findFault(material, { ...input, text }) !== undefined);
  const message = String(error);
  return {
    format: material.parser.name,
    number,
    text: input.text,
    message,
    shortText,
    shortMessage: findFault(material, { ...input, text: shortText }) ?? message,
    tools: input.tools,
  };
}

/** What is wrong with the reading of a text, tried in many chunkings. */
function findFault({ parser }: FormatMaterial, input: FuzzInput): string | undefined {
  const { text } = input;
  try {
    const whole = checkWhole(parser, input);
    const random = createRandomSource(text.length);
    const chunkings = [1, 2, 3, 5].map((length) => cutEvery(text, length));
    for (let round = 0; round < 20; round += 1) chunkings.push(cutRandomly(text, random.number));
    for (let at = 1; at < text.length; at += 1) chunkings.push([text.slice(0, at), text.slice(at)]);
    for (const pieces of chunkings) {
      for (const commit of commitModes) checkStreamed(parser, input, pieces, commit, whole);
    }
    checkReadBack(parser, input, whole);
  } catch (error) {
    return String(error);
  }
  return undefined;
}
