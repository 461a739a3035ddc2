import { describeWithService } from '@talaria/testing-services/services/jest';
import { declareDockerContract } from './declare-docker-contract.ts';

await describeWithService('docker', process.env, (docker) => declareDockerContract('Docker', docker));
