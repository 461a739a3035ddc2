/**
 * What each tool answers, for the reference: what the definitions cannot tell. Keys of the JSON in backticks. A tool without a
 * line here fails `scripts/write-tool-docs.ts`, as does a line without a tool.
 */
export const toolResults: Readonly<Record<string, string>> = {
  terminal:
    '`output`, `exit_code`, `error`; where they say something `exit_code_meaning`, `timeout_note`, `notes`, `cwd` (only when it changed). Time-out: exit code 124. Background: `session_id`, `pid`',
  process:
    '`list`: `processes`; `poll`: `status`, `output_preview`, `new_output`; `log`: `output`, `total_lines`, `first_line`; `wait`: `status`, `output`, `exit_code`; `kill`, `write`, `submit`, `close`: `status`. `write` and `submit` give a process 30 s to read',
  read_file:
    '`content` (lines `12|text`), `total_lines` (null above 8 MiB), `file_size`, `truncated`, `hint`; `encoding`, `line_ending` where unusual',
  write_file:
    '`bytes_written`, `dirs_created`, `created`, `lint`; line endings and byte-order mark of a file that is replaced stay',
  patch:
    '`success`, `diff`, `files_modified`, `files_created`, `files_deleted`, `lint`, `match_strategy`. One replacement, or a patch over several files: all of it, or nothing',
  search_files:
    '`total_count` and `matches`, `files` or `counts`; `truncated`, `hint`; uses `rg`, else GNU `grep`, else a scanner of its own. Pages of `matches` reach 20,000 lines far, those around matches counted too. Patterns are regular expressions of one line in the usual dialect; without `rg` those that `grep -E` cannot say (look-around, `\\p{…}`) are refused',
  todo: '`todos`, `summary`',
  execute_code:
    '`status` (`success`, `error`, `timeout`, `interrupted`), `output`, `exit_code`, `stderr`, `tool_calls_made`, `duration_seconds`; `error`, `error_kind`, `notes` where there are some',
  web_search: '`success`, `data.web`: a list of `title`, `url`, `description`, `position`',
  web_extract:
    '`results`, one for each address in its order: `url`, `title`, `content`; `final_url`, `status`, `content_type`; `truncated`, `total_chars`, `next_offset` where there is more; `error`, `error_kind` for a page that could not be read',
  vision_analyze: '`success`, `analysis`',
  image_generate: '`success`, `image` (a path in the sandbox, or an address), `revised_prompt`',
  mixture_of_agents: '`success`, `response`, `models_used`, `failed_models`',
  memory: '`success`, `entries`, `usage`, `entry_count`, `message`; `matches` where `old_text` fits several entries',
  session_search:
    '`success`, `results`, `count`; with a query `session_id`, `time`, `role`, `snippet` of each, else `session_id`, `started_at`, `last_active`, `message_count`, `preview`',
  skills_list: '`success`, `skills`, `categories`, `count`, `hint`',
  skill_view:
    '`success`, `name`, `description`, `category`, `content`, `linked_files`; of a file `name`, `file`, `content`',
  skill_manage: '`success`, `message`',
  clarify: '`question`, `choices_offered`, `user_response`',
  browser_navigate: '`success`, `url`, `title`; `status` from 400 on, `bot_detection_warning`',
  browser_snapshot:
    '`success`, `snapshot`, `element_count`; `truncated`, `total_chars`, `next_offset` where there is more',
  browser_click: '`success`, `clicked`; `url`, `title` where they changed',
  browser_type: '`success`, `typed` (hidden for a password), `element`; `url`, `title` where they changed',
  browser_scroll: '`success`, `scrolled`; `note` at the end of the page',
  browser_back: '`success`, `url`, `title`',
  browser_press: '`success`, `pressed`; `url`, `title` where they changed',
  browser_close: '`success`, `closed`',
  browser_get_images: '`success`, `images` (`src`, `alt`, `width`, `height`), `count`',
  browser_vision: '`success`, `analysis`, `screenshot_path`',
  browser_console: '`success`, `console_messages`, `js_errors`, `total_messages`, `total_errors`',
};
