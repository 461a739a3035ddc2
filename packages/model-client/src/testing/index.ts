export type { Script, ScriptedTurn } from './scripted-turn.ts';
