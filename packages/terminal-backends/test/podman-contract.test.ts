import { describeWithService } from '@talaria/testing-services/services/jest';
import { declareDockerContract } from './declare-docker-contract.ts';

await describeWithService('podman', process.env, (podman) => declareDockerContract('Podman', podman));
