import type { JsonObject } from '@talaria/core';
import { defineEnvironment, type Environment, environmentConfigSchema } from '@talaria/environments';
import { expectTypeOf } from 'expect-type';
import { z } from 'zod';
import type { Builtins, Host } from './index.ts';
import { runEnvironmentCli } from './index.ts';

const withOwnFields = defineEnvironment({
  name: 'own-fields',
  configSchema: environmentConfigSchema.extend({ difficulty: z.enum(['easy', 'hard']).default('easy') }),
  items: [{ id: 'one' }],
  formatPrompt: (item, { config }) => {
    expectTypeOf(config.difficulty).toEqualTypeOf<'easy' | 'hard'>();
    expectTypeOf(config.group_size).toEqualTypeOf<number>();
    return item.id;
  },
  computeReward: async () => 1,
});

expectTypeOf(runEnvironmentCli(withOwnFields)).toEqualTypeOf<Promise<number>>();
expectTypeOf(runEnvironmentCli(withOwnFields, ['run'])).toEqualTypeOf<Promise<number>>();
expectTypeOf<Host>().toHaveProperty('exitNow');

// An environment with an item type and fields of its own serves as a built-in one.
const builtins: Builtins = { 'own-fields': async (): Promise<Environment> => withOwnFields };
expectTypeOf(builtins['own-fields']).not.toBeAny();

// @ts-expect-error: an environment has a name
runEnvironmentCli<JsonObject, JsonObject>({ formatPrompt: () => '' });
