import { describe, expect, test } from '@jest/globals';
import { launchEnvironment } from './singularity-program.ts';

const host = {
  PATH: '/bin',
  HOME: '/home/one',
  LANG: 'C.UTF-8',
  APPTAINER_CACHEDIR: '/cache',
  APPTAINERENV_KEY: 'for the container',
  APPTAINER_BIND: '/etc',
  APPTAINER_DOCKER_PASSWORD: 'secret',
  OPENAI_API_KEY: 'secret',
  https_proxy: 'http://proxy',
  DOCKER_HOST: 'unix:///run/docker.sock',
};

describe('launchEnvironment', () => {
  test('is an allow list: the program would hand on whatever it has', () => {
    expect(launchEnvironment(host)).toEqual({
      PATH: '/bin',
      HOME: '/home/one',
      LANG: 'C.UTF-8',
      APPTAINER_CACHEDIR: '/cache',
    });
  });

  test('lets builds reach registries and the Docker engine', () => {
    expect(launchEnvironment(host, { forBuild: true })).toMatchObject({
      https_proxy: 'http://proxy',
      DOCKER_HOST: 'unix:///run/docker.sock',
    });
    expect(launchEnvironment(host, { forBuild: true })).not.toHaveProperty('OPENAI_API_KEY');
  });
});
