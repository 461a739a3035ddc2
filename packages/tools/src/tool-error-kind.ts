/** What went wrong in a tool call, as the model sees it in `error_kind`. */
export type ToolErrorKind =
  | 'invalid_args'
  | 'unknown_tool'
  | 'not_available'
  | 'blocked'
  | 'timeout'
  | 'interrupted'
  | 'not_found'
  | 'permission'
  | 'too_large'
  | 'network'
  | 'sandbox_lost'
  | 'internal';
