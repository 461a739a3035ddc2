export { gigachat3 } from './gigachat3.ts';
