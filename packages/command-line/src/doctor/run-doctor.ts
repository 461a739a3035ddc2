import { createRequire } from 'node:module';
import { readFlag } from '@talaria/config';
import { ConfigError, nearestName } from '@talaria/core';
import { type ConfigFile, readConfigFile } from '../config-file.ts';
import { loadEnvFile } from '../env-file.ts';
import { exitCodes } from '../exit-code.ts';
import { doctorHelp } from '../help-text.ts';
import type { Host } from '../host.ts';
import { describeOldNode } from '../node-version.ts';
import type { DoctorReport } from './doctor-report.ts';
import { type Finding, isBlocking } from './finding.ts';
import { probeBackends } from './probe-backends.ts';
import { probeConfiguredServer } from './probe-configured-server.ts';
import { probeModelAccess } from './probe-model-access.ts';
import { type LocalModelServer, localModelServers, probeModelServers } from './probe-model-servers.ts';
import { probePrograms } from './probe-programs.ts';
import { probeState } from './probe-state.ts';
import { renderDoctor } from './render-doctor.ts';

/** Options of {@link runDoctor}. */
export interface DoctorOptions {
  /** Where to look for model servers. @default those of the usual programs, on loopback */
  readonly modelServers?: readonly LocalModelServer[] | undefined;
}

/**
 * `talaria doctor`: says what is installed, what is missing and how to get it, and which model servers answer on this
 * machine. The exit code is 1 where something is missing without which nothing runs.
 */
export async function runDoctor(host: Host, args: readonly string[], options: DoctorOptions = {}): Promise<number> {
  checkArguments(args);
  if (args.includes('--help') || args.includes('-h')) {
    host.stdout.write(doctorHelp);
    return exitCodes.done;
  }
  const configPath = readFlag(args, 'config');
  const fullHost = await loadEnvFile(host);
  const file = configPath === undefined ? undefined : await readConfigFile(fullHost, configPath);
  const report = await examine(fullHost, options.modelServers ?? localModelServers, file);
  const exitCode = report.findings.some(isBlocking) ? exitCodes.failed : exitCodes.done;
  host.stdout.write(
    args.includes('--json') ? `${JSON.stringify(encodeReport(report, exitCode))}\n` : renderDoctor(report, host),
  );
  return exitCode;
}

const knownFlags = ['--json', '--config', '--help', '-h'];

function checkArguments(args: readonly string[]): void {
  const path = readFlag(args, 'config');
  const unknown = args.find((argument) => !knownFlags.includes(argument) && !isOfConfig(argument, path));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, knownFlags);
  throw new ConfigError(`doctor does not know ${unknown}`, {
    code: 'config.unknown-flag',
    hint: nearest === undefined ? 'It takes --json, --config FILE and --help only.' : `Did you mean ${nearest}?`,
  });
}

/** The file's name, after the flag or in one word with it. */
function isOfConfig(argument: string, path: string | undefined): boolean {
  return path !== undefined && (argument === path || argument === `--config=${path}`);
}

async function examine(
  host: Host,
  servers: readonly LocalModelServer[],
  file: ConfigFile | undefined,
): Promise<DoctorReport> {
  const [programs, backends, state, modelServers, configured] = await Promise.all([
    probePrograms(host),
    probeBackends(host, file),
    probeState(host),
    probeModelServers(host, servers),
    probeConfiguredServer(host),
  ]);
  const packages = ['openai', 'undici'].map(probePackage);
  return {
    findings: [probeNode(host), ...programs, ...backends, ...packages, state, probeModelAccess(host), ...configured],
    modelServers,
  };
}

function probeNode(host: Host): Finding {
  const isOk = describeOldNode(host.nodeVersion) === null;
  return {
    name: 'node',
    status: isOk ? 'ok' : 'broken',
    isRequired: true,
    detail: isOk ? host.nodeVersion : `${host.nodeVersion} is older than 22.19`,
    hint: isOk ? 'runs Talaria' : 'Install Node 22.19 or later: https://nodejs.org',
  };
}

/** Packages that reach a model over the network; a scripted run needs none of them. */
function probePackage(name: string): Finding {
  const base = { name: `npm ${name}`, isRequired: false, hint: 'talks to model servers' };
  try {
    createRequire(import.meta.url).resolve(name);
    return { ...base, status: 'ok', detail: 'installed' };
  } catch {
    // Whatever keeps it from being found, the way to mend it is the same.
    return { ...base, status: 'missing', detail: 'not installed', hint: `npm install ${name}` };
  }
}

function encodeReport(report: DoctorReport, exitCode: number): unknown {
  return {
    reason: exitCode === exitCodes.done ? 'done' : 'failed',
    exit_code: exitCode,
    findings: report.findings.map(({ name, status, isRequired, detail, hint }) => ({
      name,
      status,
      is_required: isRequired,
      detail,
      hint,
    })),
    model_servers: report.modelServers.map(({ title, baseUrl, status, models, command }) => ({
      name: title,
      base_url: baseUrl,
      status,
      models,
      command,
    })),
  };
}
