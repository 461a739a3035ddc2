import { describeContract } from './describe-contract.ts';
import { testedFormats } from './tested-formats.ts';

describeContract(testedFormats.filter(({ name }) => name >= 'i'));
