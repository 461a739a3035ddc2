export { deepseekV3 } from '../deepseek/deepseek.ts';
