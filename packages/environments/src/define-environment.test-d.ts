import type { JsonObject } from '@talaria/core';
import { expectTypeOf } from 'expect-type';
import { z } from 'zod';
import { type EnvironmentConfig, environmentConfigSchema } from './configuration/environment-config.ts';
import { resolveRunConfig } from './configuration/resolve-run-config.ts';
import { defineEnvironment } from './define-environment.ts';
import type { Environment } from './environment.ts';

const plain = defineEnvironment({
  name: 'plain',
  items: [{ word: 'x' }],
  formatPrompt: (item, context) => {
    expectTypeOf(item).toEqualTypeOf<{ word: string }>();
    expectTypeOf(context.config.group_size).toEqualTypeOf<number>();
    return item.word;
  },
  computeReward: async () => 1,
});
expectTypeOf(plain).toEqualTypeOf<Environment<{ word: string }, EnvironmentConfig>>();
// An environment of any item serves where nothing is known of its items.
expectTypeOf(plain).toExtend<Environment<JsonObject, EnvironmentConfig>>();

const extended = defineEnvironment({
  name: 'extended',
  configSchema: environmentConfigSchema.extend({ difficulty: z.int().default(1) }),
  items: [{ word: 'x' }],
  formatPrompt: ({ word }, { config }) => {
    expectTypeOf(config.difficulty).toEqualTypeOf<number>();
    expectTypeOf(config.max_agent_turns).toEqualTypeOf<number>();
    return word;
  },
  computeReward: async () => ({ reward: 1, parts: { style: 1 } }),
});
const { config } = resolveRunConfig({ environment: extended, driver: 'process', variables: {} });
expectTypeOf(config.env.difficulty).toEqualTypeOf<number>();
expectTypeOf(config.env.group_size).toEqualTypeOf<number>();

defineEnvironment({
  name: 'wrong',
  items: [{ word: 'x' }],
  // @ts-expect-error: items have no such field
  formatPrompt: ({ wrod }) => wrod,
  computeReward: async () => 1,
});
