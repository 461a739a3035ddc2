import type { Toolset } from './toolset.ts';

const browserTools = [
  'browser_navigate',
  'browser_snapshot',
  'browser_click',
  'browser_type',
  'browser_scroll',
  'browser_back',
  'browser_press',
  'browser_close',
  'browser_get_images',
  'browser_vision',
  'browser_console',
];

const homeTools = ['ha_list_entities', 'ha_get_state', 'ha_list_services', 'ha_call_service'];
const honchoTools = ['honcho_context', 'honcho_profile', 'honcho_search', 'honcho_conclude'];

/** Everything that upstream's interactive agent offers. */
const coreSets = [
  'web',
  'terminal',
  'file',
  'vision',
  'image_gen',
  'moa',
  'skills',
  'todo',
  'memory',
  'session_search',
  'code_execution',
  'delegation',
  'cronjob',
];

const messengers = ['telegram', 'discord', 'whatsapp', 'slack', 'signal', 'homeassistant', 'email', 'sms'];

function single(name: string, description: string): Toolset {
  return { name, description, tools: [name] };
}

function interactive(name: string): Toolset {
  return {
    name,
    description: 'All that an interactive agent is offered',
    tools: [...browserTools, 'clarify', 'send_message', 'text_to_speech', ...homeTools, ...honchoTools],
    includes: coreSets,
  };
}

const research: readonly Toolset[] = [
  { name: 'web', description: 'Search the web and read pages', tools: ['web_search', 'web_extract'] },
  { name: 'search', description: 'Search the web only', tools: ['web_search'] },
  { name: 'terminal', description: 'Run commands and background processes', tools: ['terminal', 'process'] },
  {
    name: 'file',
    description: 'Read, write, patch and search files',
    tools: ['read_file', 'write_file', 'patch', 'search_files'],
  },
  { name: 'browser', description: 'Drive a browser, and search the web', tools: [...browserTools, 'web_search'] },
  { name: 'vision', description: 'Look at images', tools: ['vision_analyze'] },
  { name: 'code_execution', description: 'Run a script that calls the other tools', tools: ['execute_code'] },
  single('todo', 'Keep a list of what is to be done'),
  single('memory', 'Notes that outlive a session'),
  single('session_search', 'Search earlier sessions'),
  single('clarify', 'Ask the user'),
  {
    name: 'debugging',
    description: 'Terminal, files and web',
    tools: ['terminal', 'process'],
    includes: ['web', 'file'],
  },
  {
    name: 'safe',
    description: 'No terminal, no files',
    tools: ['mixture_of_agents'],
    includes: ['web', 'vision', 'image_gen'],
  },
  {
    name: 'research',
    description: 'Web, terminal, files, todo and scripts',
    includes: ['web', 'terminal', 'file', 'todo', 'code_execution'],
  },
];

const reserved: readonly Toolset[] = [
  { name: 'image_gen', description: 'Make images', tools: ['image_generate'] },
  { name: 'moa', description: 'Ask several models', tools: ['mixture_of_agents'] },
  { name: 'skills', description: 'Use and write skills', tools: ['skills_list', 'skill_view', 'skill_manage'] },
  single('cronjob', 'Plan jobs'),
  { name: 'messaging', description: 'Send messages', tools: ['send_message'] },
  {
    name: 'rl',
    description: 'Control training runs',
    tools: [
      'rl_list_environments',
      'rl_select_environment',
      'rl_get_current_config',
      'rl_edit_config',
      'rl_start_training',
      'rl_check_status',
      'rl_stop_training',
      'rl_get_results',
      'rl_list_runs',
      'rl_test_inference',
    ],
  },
  { name: 'tts', description: 'Speak', tools: ['text_to_speech'] },
  { name: 'delegation', description: 'Hand work to another agent', tools: ['delegate_task'] },
  { name: 'honcho', description: 'Model of the user', tools: honchoTools },
  { name: 'homeassistant', description: 'Control a home', tools: homeTools },
];

const products: readonly Toolset[] = [
  interactive('hermes-cli'),
  ...messengers.map((messenger) => interactive(`hermes-${messenger}`)),
  {
    name: 'hermes-gateway',
    description: 'All that the messengers offer',
    includes: messengers.map((messenger) => `hermes-${messenger}`),
  },
  {
    name: 'hermes-api-server',
    description: 'What the API server offers',
    tools: [...browserTools, ...homeTools, ...honchoTools],
    includes: coreSets,
  },
  { name: 'talaria-api-server', description: 'What the API server offers', includes: ['hermes-api-server'] },
  {
    name: 'hermes-acp',
    description: 'What an editor is offered',
    tools: browserTools,
    includes: [
      'web',
      'terminal',
      'file',
      'vision',
      'skills',
      'todo',
      'memory',
      'session_search',
      'code_execution',
      'delegation',
    ],
  },
];

/**
 * The sets of tools that Talaria knows by name. Those of tools that are not written yet are there too, so that files
 * which name them stay valid: they resolve to nothing, with a warning.
 */
export const builtinToolsets: readonly Toolset[] = [...research, ...reserved, ...products];

/** Older names of sets, with what they mean. */
export const toolsetAliases: ReadonlyMap<string, string> = new Map([
  ['web_tools', 'web'],
  ['terminal_tools', 'terminal'],
  ['file_tools', 'file'],
  ['vision_tools', 'vision'],
  ['moa_tools', 'moa'],
  ['image_tools', 'image_gen'],
  ['skills_tools', 'skills'],
  ['browser_tools', 'browser'],
  ['tts_tools', 'tts'],
  ['cronjob_tools', 'cronjob'],
  ['rl_tools', 'rl'],
]);
