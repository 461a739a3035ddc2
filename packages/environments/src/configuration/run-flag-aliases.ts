import type { DriverName } from './run-config.ts';

const sharedAliases: Readonly<Record<string, string>> = {
  '--allow-local': 'terminal.allow_local',
  '--allow-missing-tools': 'tools.allow_missing',
  '--backend': 'terminal.backend',
  '--base-url': 'openai.base_url',
  '--image': 'terminal.image',
  '--max-tokens': 'env.max_token_length',
  '--max-turns': 'env.max_agent_turns',
  '--model': 'openai.model_name',
  '--parser': 'env.tool_call_parser',
  '--rollout-timeout': 'env.rollout_timeout',
  '--seed': 'env.seed',
  '--system-prompt': 'env.system_prompt',
  '--temperature': 'env.agent_temperature',
  '--toolsets': 'env.enabled_toolsets',
};

const driverAliases: Readonly<Record<DriverName, Readonly<Record<string, string>>>> = {
  process: {
    '--concurrency': 'env.process_concurrency',
    '--exact': 'env.exact',
    '--group-size': 'env.group_size',
    '--steps': 'env.total_steps',
  },
  evaluate: {
    '--concurrency': 'env.eval_concurrency',
    '--samples': 'env.eval_samples',
  },
};

/** Friendly flags and the fields that they stand for. */
export function runFlagAliases(driver: DriverName): Readonly<Record<string, string>> {
  return { ...sharedAliases, ...driverAliases[driver] };
}
