export { describeThorough } from './describe-thorough.ts';
export { describeWithService } from './describe-with-service.ts';
