export { findChromium } from './find-chromium.ts';
export {
  type AnsweredToolCall,
  isServerFault,
  type ReasoningField,
  type ServerAnswer,
  type ServerFault,
  type ServerStep,
} from './scripted-answer.ts';
export {
  createScriptedServer,
  type RecordedRequest,
  type ScriptedServer,
  type ScriptedServerOptions,
  type ServerScript,
} from './scripted-server.ts';
