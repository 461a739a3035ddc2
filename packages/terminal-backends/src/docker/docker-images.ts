import { ConfigError, isJsonObject, isTalariaError, type JsonObject, raceAbort, silentLogger } from '@talaria/core';
import type Dockerode from 'dockerode';
import { createSharedWork } from '../shared-work.ts';
import { tellListener } from '../tell-listener.ts';
import type { DockerEngine } from './docker-engine.ts';
import { dockerError, explainDockerError, isMissing, readEngineAnswer } from './docker-error.ts';
import type { DockerBackendOptions, ImageProgress } from './docker-options.ts';
import { readProgressLines, textAt } from './progress-lines.ts';

/** The images of one engine. */
export interface DockerImages {
  /**
   * Makes sure that an image is there, and tells of it. However many ask at once, it is pulled once.
   * @throws ConfigError `config.missing-image`; SandboxError `sandbox.pull-failed`
   */
  ensure(engine: DockerEngine, image: string, options: EnsureOptions): Promise<Dockerode.ImageInspectInfo>;
  /** Tells of an image; `null` where the engine has none of that name. */
  find(engine: DockerEngine, image: string, signal?: AbortSignal): Promise<Dockerode.ImageInspectInfo | null>;
  /**
   * Asks the image's registry, through the engine, whether it has it; an engine that cannot ask (Podman) pulls it.
   * @throws SandboxError `sandbox.pull-failed`
   */
  ask(engine: DockerEngine, image: string, signal?: AbortSignal): Promise<void>;
}

/** Options of {@link DockerImages.ensure}. */
export interface EnsureOptions {
  readonly pull: NonNullable<DockerBackendOptions['pull']>;
  readonly signal?: AbortSignal | undefined;
}

type ImageOptions = Pick<DockerBackendOptions, 'registries' | 'platform' | 'onProgress' | 'logger'>;

/** Creates it. */
export function createDockerImages(options: ImageOptions): DockerImages {
  const pulls = createSharedWork<void>();

  async function find(
    engine: DockerEngine,
    image: string,
    signal?: AbortSignal,
  ): Promise<Dockerode.ImageInspectInfo | null> {
    try {
      return await raceAbort(engine.client.getImage(image).inspect(), signal);
    } catch (error) {
      if (isMissing(error)) return null;
      throw explainDockerError(error, { action: `look for the image ${image}`, phase: 'create', ...engine, signal });
    }
  }

  return {
    find,
    async ask(engine, image, signal) {
      try {
        await raceAbort(engine.client.getImage(image).distribution(loginFor(image, options)), signal);
      } catch (error) {
        if (!isUnknownRequest(error)) throw explainPull(error, { image, engine, signal });
        await pulls.join(image, (shared) => pullImage(engine, image, options, shared), signal);
      }
    },
    async ensure(engine, image, { pull, signal }) {
      const found = await find(engine, image, signal);
      if (found !== null && pull !== 'always') return found;
      if (pull === 'never') throw missingImage(engine, image, 'it may not be pulled (pull: never)');
      await pulls.join(image, (shared) => pullImage(engine, image, options, shared), signal);
      const pulled = await find(engine, image, signal);
      if (pulled === null) throw missingImage(engine, image, 'a pull ended well and did not bring it');
      return pulled;
    },
  };
}

/** Whether an engine says that there is no such request, not that there is no such image. */
function isUnknownRequest(error: unknown): boolean {
  const answer = readEngineAnswer(error);
  return answer?.status === 404 && /is not supported|(?:^|- )(?:404 page )?not found\s*$/i.test(answer.message);
}

function missingImage({ host }: DockerEngine, image: string, why: string): ConfigError {
  return new ConfigError(`The Docker engine at ${host} has no image ${image}, and ${why}`, {
    code: 'config.missing-image',
    hint: `Check its name, or bring it there: docker pull ${image}, docker build -t ${image} …, docker load.`,
  });
}

async function pullImage(
  engine: DockerEngine,
  image: string,
  options: ImageOptions,
  signal: AbortSignal,
): Promise<void> {
  const { platform, onProgress, logger = silentLogger } = options;
  try {
    const stream = await engine.client.pull(image, {
      abortSignal: signal,
      ...(platform === undefined ? {} : { platform }),
      ...loginFor(image, options),
    });
    for await (const line of readProgressLines(stream)) {
      const failure = textAt(line, 'error');
      if (failure !== '') throw new Error(failure);
      tellListener(onProgress, readPullProgress(image, line), logger);
    }
  } catch (error) {
    throw explainPull(error, { image, engine, signal });
  }
}

/** The part before the first slash is a registry where it looks like a host, as the engine decides it. */
function registryOf(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : 'docker.io';
}

function loginFor(image: string, { registries = {} }: ImageOptions): { readonly authconfig?: object } {
  const registry = registryOf(image);
  const login = registries[registry];
  if (login === undefined) return {};
  const serveraddress = registry === 'docker.io' ? 'https://index.docker.io/v1/' : registry;
  return { authconfig: { username: login.username, password: login.password.reveal(), serveraddress } };
}

function readPullProgress(image: string, line: JsonObject): ImageProgress {
  const detail = line['progressDetail'];
  const { current, total }: JsonObject = detail !== undefined && isJsonObject(detail) ? detail : {};
  const layer = textAt(line, 'id');
  return {
    image,
    text: textAt(line, 'status'),
    ...(layer === '' ? {} : { layer }),
    ...(typeof current === 'number' ? { doneBytes: current } : {}),
    ...(typeof total === 'number' ? { totalBytes: total } : {}),
  };
}

function explainPull(
  error: unknown,
  {
    image,
    engine,
    signal,
  }: { readonly image: string; readonly engine: DockerEngine; readonly signal: AbortSignal | undefined },
): unknown {
  const explained = explainDockerError(error, {
    action: `pull the image ${image}`,
    phase: 'create',
    ...engine,
    signal,
  });
  if (!isTalariaError(explained) || explained.code !== 'sandbox.failed') return explained;
  const { message } = explained;
  return dockerError(
    message,
    { phase: 'create' },
    {
      code: 'sandbox.pull-failed',
      retryable: !refusedLogin.test(message) && !/not found|manifest unknown|invalid reference/i.test(message),
      hint: hintForPull(message, image),
      cause: error,
    },
  );
}

const refusedLogin = /denied|unauthorized|authentication|basic auth|credentials/i;

function hintForPull(message: string, image: string): string {
  if (/toomanyrequests|rate limit|\b429\b/i.test(message)) {
    return 'The registry limits pulls: name a login in registries, or pull the image beforehand.';
  }
  if (refusedLogin.test(message)) {
    return `Check the name, and name a login for ${registryOf(image)} in registries (docker login is not read).`;
  }
  if (/manifest unknown|not found|no matching manifest/i.test(message)) {
    return 'Check name and tag, and whether the image exists for this platform (option platform).';
  }
  return `Check the name and whether the engine reaches ${registryOf(image)}; or load the image there (docker load).`;
}
