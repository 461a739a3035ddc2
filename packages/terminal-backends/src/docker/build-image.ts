import { stat } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import {
  ConfigError,
  canonicalJson,
  isJsonObject,
  isTalariaError,
  type JsonObject,
  type Logger,
  systemErrorCode,
} from '@talaria/core';
import type { SharedWork } from '../shared-work.ts';
import { tellListener } from '../tell-listener.ts';
import { packBuildContext } from './build-context.ts';
import type { DockerEngine } from './docker-engine.ts';
import { dockerError, explainDockerError } from './docker-error.ts';
import type { BuildImageOptions } from './docker-options.ts';
import { readProgressLines, textAt } from './progress-lines.ts';

const maxErrorLines = 20;

/**
 * Builds an image, or joins the same build under way. Gives the image's identifier.
 * @throws ConfigError `config.invalid`; SandboxError `sandbox.build-failed` with the end of the log
 */
export async function buildImage(
  engine: DockerEngine,
  options: BuildImageOptions,
  { builds, logger }: { readonly builds: SharedWork<string>; readonly logger: Logger },
): Promise<string> {
  const { signal, onProgress: _onProgress, ...what } = options;
  signal?.throwIfAborted();
  const dockerfile = posix.normalize(options.dockerfile ?? 'Dockerfile');
  await checkContext(options.context, dockerfile);
  const key = canonicalJson(JSON.parse(JSON.stringify(what)));
  return await builds.join(key, (shared) => runBuild(engine, { ...options, dockerfile, logger }, shared), signal);
}

async function checkContext(context: string, dockerfile: string): Promise<void> {
  const isInside = !isAbsolute(dockerfile) && !dockerfile.startsWith('..');
  const place = join(context, dockerfile);
  if (isAbsolute(context) && isInside && (await isFile(place))) return;
  throw new ConfigError(`There is no Dockerfile ${place}`, {
    code: 'config.invalid',
    hint: 'Name the folder as context by its absolute path, and the Dockerfile by its path inside it.',
  });
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

async function runBuild(
  engine: DockerEngine,
  options: BuildImageOptions & { readonly dockerfile: string; readonly logger: Logger },
  signal: AbortSignal,
): Promise<string> {
  const { context, dockerfile, tag, buildArgs = {}, target, network, platform, onProgress, logger } = options;
  const lines: string[] = [];
  let imageId = '';
  const archive = Readable.from(packBuildContext(context, dockerfile, signal), { objectMode: false });
  try {
    const stream = await engine.client.buildImage(archive, {
      t: tag,
      dockerfile,
      buildargs: { ...buildArgs },
      rm: true,
      forcerm: true,
      ...(target === undefined ? {} : { target }),
      ...(network === undefined ? {} : { networkmode: network }),
      ...(platform === undefined ? {} : { platform }),
      abortSignal: signal,
    });
    for await (const line of readProgressLines(stream)) {
      imageId = idIn(line) || imageId;
      for (const text of linesIn(line)) {
        tellListener(onProgress, { image: tag, text }, logger);
        lines.push(text);
        if (lines.length > maxErrorLines) lines.shift();
      }
      const failure = textAt(line, 'error');
      if (failure !== '') throw new Error(failure);
    }
    return imageId;
  } catch (error) {
    throw explainBuild(error, { tag, lines, engine, signal });
  } finally {
    archive.destroy();
  }
}

function idIn({ aux }: JsonObject): string {
  return aux !== undefined && isJsonObject(aux) ? textAt(aux, 'ID') : '';
}

function linesIn(line: JsonObject): readonly string[] {
  const text = textAt(line, 'stream') || textAt(line, 'status');
  return text.split('\n').filter((part) => part.trim() !== '');
}

function explainBuild(
  error: unknown,
  build: {
    readonly tag: string;
    readonly lines: readonly string[];
    readonly engine: DockerEngine;
    readonly signal: AbortSignal;
  },
): unknown {
  const { tag, lines, engine, signal } = build;
  const explained = explainDockerError(error, { action: `build ${tag}`, phase: 'create', ...engine, signal });
  if (!isTalariaError(explained) || explained.code !== 'sandbox.failed') return explained;
  const log = lines.length === 0 ? '' : `\n${lines.join('\n')}`;
  return dockerError(
    `${explained.message}${log}`,
    { phase: 'create' },
    {
      code: 'sandbox.build-failed',
      hint: 'Mend the Dockerfile at the step that the log ends with; images that it starts from must be there or be reachable.',
      cause: error,
    },
  );
}
