export { deepseekV31 } from '../deepseek/deepseek.ts';
