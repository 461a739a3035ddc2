import type { ChatMessage, JsonObject, JsonValue } from '@talaria/core';
import fc from 'fast-check';
import type { Rollout, TokenBranch } from '../src/index.ts';
import { sampleRollout } from '../src/testing/index.ts';

/** JSON values as a file holds them: `-0` is read back as `0`, and `__proto__` is never read. */
export const anyJson: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')) as JsonValue);

const jsonObject: fc.Arbitrary<JsonObject> = fc
  .dictionary(
    fc.string().filter((key) => key !== '__proto__'),
    anyJson,
    { noNullPrototype: true },
  )
  .map((value) => value as JsonObject);

const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);

/** Messages of every role, with text of every kind. */
export const anyMessage: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: text }),
  fc.record({
    role: fc.constant('user' as const),
    content: fc.oneof(
      text,
      fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('text' as const), text }),
          fc.record({ type: fc.constant('image_url' as const), image_url: fc.record({ url: text }) }),
        ),
      ),
    ),
  }),
  fc.record(
    {
      role: fc.constant('assistant' as const),
      content: fc.option(text),
      tool_calls: fc.array(
        fc.record({
          id: text,
          type: fc.constant('function' as const),
          function: fc.record({ name: text, arguments: text }),
        }),
      ),
      reasoning_content: text,
      reasoning_details: fc.array(jsonObject),
    },
    { requiredKeys: ['role', 'content'], noNullPrototype: true },
  ),
  fc.record({ role: fc.constant('tool' as const), tool_call_id: text, content: text }),
);

const anyBranch: fc.Arbitrary<TokenBranch> = fc
  .array(fc.record({ tokenId: fc.nat(), isSampled: fc.boolean(), logprob: finite }), { minLength: 1 })
  .map((tokens) => ({
    tokenIds: tokens.map(({ tokenId }) => tokenId),
    mask: tokens.map(({ isSampled }) => (isSampled ? 1 : 0)),
    logprobs: tokens.map(({ isSampled, logprob }) => (isSampled ? logprob : null)),
    temperature: 1,
    turnSpans: [[0, tokens.length]],
    finishReasons: ['stop'],
  }));

/** Whole rollouts. */
export const anyRollout: fc.Arbitrary<Rollout> = fc
  .record({
    rolloutId: text,
    item: anyJson,
    reward: fc.option(finite),
    rewardParts: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      finite,
      { noNullPrototype: true },
    ),
    info: fc.option(jsonObject),
    messages: fc.array(anyMessage),
    branches: fc.option(fc.array(anyBranch, { maxLength: 3 })),
    costUsd: fc.option(finite),
    isMasked: fc.boolean(),
  })
  .map((changes) => sampleRollout(changes));
