export { type ScriptedModel, type ScriptedModelOptions, scriptedModel } from './scripted-model.ts';
export type { Script, ScriptedTurn } from './scripted-turn.ts';
