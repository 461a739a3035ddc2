import { relative } from 'node:path';
import type { EvaluationSummary, ProcessSummary, RolloutSummary } from '@talaria/environments';
import type { CommandFlags } from './command-flags.ts';
import { exitCodes } from './exit-code.ts';
import { formatCost, formatCount, formatElapsed, formatNumber, formatReward } from './format-quantity.ts';
import type { Host } from './host.ts';
import { paintFor } from './paint.ts';
import { renderScoreTable, type ScoreRow } from './score-table.ts';

/** What a run left behind, whichever driver ran it. */
export type AnySummary =
  | { readonly driver: 'process'; readonly summary: ProcessSummary }
  | { readonly driver: 'evaluate'; readonly summary: EvaluationSummary };

/** Options of {@link writeReport}. */
export interface ReportOptions {
  readonly flags: CommandFlags;
  /** What to type to go on, told where the run was interrupted. */
  readonly resumeCommand: string;
}

/** Reports how a run ended, for people or, with `--json`, for machines; gives the exit code. */
export function writeReport(host: Host, result: AnySummary, { flags, resumeCommand }: ReportOptions): number {
  const { outcome } = result.summary;
  const exitCode = exitCodes[outcome];
  if (flags.isJson)
    host.stdout.write(
      `${JSON.stringify({
        ...encodeSummary(result, exitCode),
        ...(outcome === 'interrupted' ? { resume_command: resumeCommand } : {}),
      })}\n`,
    );
  const text = describeRun(host, result, flags.isVerbose);
  // With --json standard output is for machines only; what people read goes beside it.
  if (!flags.isQuiet) (flags.isJson ? host.stderr : host.stdout).write(text);
  if (outcome === 'interrupted' && !flags.isQuiet) host.stderr.write(`resume with: ${resumeCommand}\n`);
  return exitCode;
}

function describeRun(host: Host, result: AnySummary, isVerbose: boolean): string {
  const { summary } = result;
  const table = renderScoreTable(sortRows(summary.rollouts).map(toRow), { paint: paintFor(host, host.stdout) });
  const scored = summary.rollouts.filter(({ reward }) => reward !== null).length;
  const all = formatNumber(summary.rollouts.length, 'rollout');
  const lines = [
    `${summary.environment} with ${summary.model}: mean reward ${formatReward(summary.meanReward)} over ` +
      `${scored === summary.rollouts.length ? all : `${scored} scored of ${all}`}, ${formatCount(summary.usage.total_tokens)} tokens, ` +
      `${formatCost(summary.costUsd)}, ${formatElapsed(summary.durationMs)}`,
    ...(summary.reason === null ? [] : [`${summary.outcome}: ${summary.reason}`]),
    ...(result.driver === 'evaluate' ? describeMetrics(result.summary, isVerbose) : []),
    ...listPaths(result).map(([title, path]) => `${title.padEnd(13)} ${shortenPath(host, path)}`),
  ];
  return `${summary.rollouts.length === 0 ? '' : `${table}\n`}${lines.join('\n')}\n`;
}

/** Metrics that only a closer look needs; all of them stand in `metrics.json`. */
const detail = /^(?!eval\/)|^eval\/(reward_|turns_|tool_|stop_reason_|(reward|api|sandbox)_errors$)|_scored$/;

function describeMetrics({ metrics }: EvaluationSummary, isVerbose: boolean): readonly string[] {
  const shown = Object.entries(metrics).filter(([name]) => isVerbose || !detail.test(name));
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(
    ([name, value]) => `${name.padEnd(width)}  ${typeof value === 'number' ? formatMetric(value) : value}`,
  );
}

function formatMetric(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(4);
}

function listPaths({ driver, summary }: AnySummary): readonly (readonly [string, string])[] {
  const page = summary.htmlPath === null ? [] : [['to look at', summary.htmlPath] as const];
  const runFolder = ['run folder', summary.runFolder] as const;
  if (driver === 'evaluate') {
    const isElsewhere = summary.outputFolder !== summary.runFolder;
    return [['results', summary.outputFolder], ...page, ...(isElsewhere ? [runFolder] : [])];
  }
  return [...(summary.outputPath === null ? [] : [['trajectories', summary.outputPath] as const]), ...page, runFolder];
}

/** A path as the user would type it from where they are. */
export function shortenPath(host: Host, path: string): string {
  const short = relative(host.cwd, path);
  return short === '' || short.startsWith('..') ? path : short;
}

/** By group, then by sample: as the items were given out, whatever ended first. */
function sortRows(rollouts: readonly RolloutSummary[]): readonly RolloutSummary[] {
  return [...rollouts].sort((left, right) => left.groupIndex - right.groupIndex || left.sample - right.sample);
}

function toRow({ label, sample, reward, turnsUsed, stopReason, failure }: RolloutSummary): ScoreRow {
  return { task: label, sample, reward, turns: turnsUsed, stopReason, failure: failure?.message ?? null };
}

function encodeSummary(result: AnySummary, exitCode: number): object {
  const { summary } = result;
  const common = {
    reason: summary.outcome,
    exit_code: exitCode,
    detail: summary.reason,
    environment: summary.environment,
    model: summary.model,
    run_id: summary.runId,
    mean_reward: summary.meanReward,
    rollouts: sortRows(summary.rollouts).map(encodeRollout),
    usage: summary.usage,
    cost_usd: summary.costUsd,
    duration_ms: Math.round(summary.durationMs),
    run_folder: summary.runFolder,
    html_path: summary.htmlPath,
  };
  if (result.driver === 'process') {
    const { groupsAccepted, groupsRejected, outputPath } = result.summary;
    return {
      ...common,
      groups_accepted: groupsAccepted,
      groups_rejected: groupsRejected,
      output_path: outputPath,
    };
  }
  const { metrics, itemsTotal, itemsScored, errors, outputFolder } = result.summary;
  return {
    ...common,
    metrics,
    items_total: itemsTotal,
    items_scored: itemsScored,
    errors,
    output_folder: outputFolder,
  };
}

function encodeRollout(rollout: RolloutSummary): unknown {
  return {
    rollout_id: rollout.rolloutId,
    task: rollout.label,
    sample: rollout.sample,
    attempt: rollout.attempt,
    reward: rollout.reward,
    turns: rollout.turnsUsed,
    stop_reason: rollout.stopReason,
    failure: rollout.failure,
    is_resumed: rollout.isResumed,
  };
}
