import { type MergedConfig, valueAt } from '@talaria/config';

/** Settings of drivers and services to come: this version reads, checks and stores them, and does nothing else. */
export const settingsOfLater: ReadonlySet<string> = new Set(
  listPaths({
    env: `max_num_workers max_num_workers_per_node steps_per_eval eval_handling eval_limit_ratio inference_weight
      batch_size max_batches_offpolicy rollout_server_url min_items_sent_before_logging min_batch_allocation
      worker_timeout eval_at_start eval_at_end num_rollouts_to_keep num_rollouts_per_group_for_logging
      include_messages allow_placeholder_tokens tokenizer_name use_wandb wandb_name`,
    openai: 'server_type tokenizer_name rolling_buffer_length n_kwarg_is_ignored health_check',
    '': 'slurm testing max_n_completions proxy_url',
  }),
);

/** Settings that only environments read. */
export const settingsOfEnvironments: ReadonlySet<string> = new Set(
  listPaths({ env: 'dataset_name dataset_split prompt_field custom_thinking_prompt' }),
);

/** Told in words of its own, where it matters. */
const toldElsewhere = 'openai.server_type';

function listPaths(sections: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(sections).flatMap(([section, names]) =>
    names.split(/\s+/u).map((name) => (section === '' ? name : `${section}.${name}`)),
  );
}

/**
 * One sentence that names the settings of {@link settingsOfLater} which a user set, and so expects something of; none
 * where there are none. What is set to `false` or `null` is what happens anyway.
 *
 * @param defaultNames - names of the layers that no user wrote
 */
export function warnOfSettingsWithoutEffect(
  merged: readonly MergedConfig[],
  defaultNames: ReadonlySet<string>,
): readonly string[] {
  const set = merged.flatMap(({ values, sources }) =>
    [...sources].flatMap(([path, source]) => {
      const value = valueAt(values, path.split('.'));
      const isExpected = value !== undefined && value !== null && value !== false;
      return isExpected && !defaultNames.has(source) && settingsOfLater.has(path) ? [path] : [];
    }),
  );
  const paths = [...new Set(set)].filter((path) => path !== toldElsewhere).sort();
  return paths.length === 0 ? [] : [`without effect in this version: ${paths.join(', ')}`];
}
