export { xlam } from './xlam.ts';
