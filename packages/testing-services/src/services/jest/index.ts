export { describeWithService } from './describe-with-service.ts';
