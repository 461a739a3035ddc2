import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { DockerService } from '@talaria/testing-services/services';
import Dockerode from 'dockerode';
import { createDockerBackend, type DockerBackend, type DockerBackendOptions } from '../src/docker/index.ts';

/** Within what every engine can set: finding out what it cannot takes a second container. */
const ulimits = { core: { soft: 0, hard: 0 } };

/** Backends of one test file, over one ledger. */
export interface DockerTest {
  /** A client of the tests' own, to look from outside. */
  readonly client: Dockerode;
  readonly stateFolder: () => string;
  readonly createBackend: (options?: Partial<DockerBackendOptions>) => DockerBackend;
  /** Containers whose sandboxes this file has opened, in any state. */
  readonly listOwn: () => Promise<readonly string[]>;
}

/**
 * To be called where tests are declared: makes the ledger's folder, and asserts at the end that nothing was left. Sandboxes
 * that several tests share are to be closed by a group inside, whose hooks run before.
 */
export function useDocker({ socketPath, image }: DockerService): DockerTest {
  const host = `unix://${socketPath}`;
  const client = new Dockerode({ socketPath });
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'talaria-docker-'));
  });
  afterAll(async () => {
    expect(await tested.listOwn()).toEqual([]);
    await rm(folder, { recursive: true });
  });
  const tested: DockerTest = {
    client,
    stateFolder: () => folder,
    createBackend: (options = {}) =>
      createDockerBackend({ stateFolder: folder, environment: {}, host, image, killGraceMs: 200, ulimits, ...options }),
    async listOwn() {
      const files = await readdir(join(folder, 'sandboxes')).catch(() => []);
      return files.map((name) => name.replace(/\.json$/, ''));
    },
  };
  return tested;
}
