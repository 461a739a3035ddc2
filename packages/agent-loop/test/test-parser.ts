import type { ParsedToolCall, ParseError, ToolCallParser } from '@talaria/tool-call-parsers';

/** A format of lines `CALL <name> <JSON object>`; small enough to see through. */
export function createTestParser(name = 'lines', marker = 'CALL '): ToolCallParser {
  return {
    name,
    startMarkers: [marker],
    parse(text, options = {}) {
      const toolCalls: ParsedToolCall[] = [];
      const errors: ParseError[] = [];
      const rest: string[] = [];
      let start = 0;
      for (const line of text.split('\n')) {
        const end = start + line.length;
        const [, toolName = '', args = ''] = line.startsWith(marker)
          ? (/^(\S+) (.*)$/.exec(line.slice(marker.length)) ?? [])
          : [];
        if (!line.startsWith(marker)) rest.push(line);
        else if (isObject(args))
          toolCalls.push({
            id: `${toolName}:${(options.startIndex ?? 0) + toolCalls.length}`,
            name: toolName,
            arguments: args,
          });
        else
          errors.push({
            kind: options.finishReason === 'length' ? 'truncated' : 'bad-json',
            start,
            end,
            message: `no JSON object in ${line}`,
          });
        start = end + 1;
      }
      if (toolCalls.length === 0) return { content: text, toolCalls, errors };
      return { content: rest.join('\n').trim() || null, toolCalls, errors };
    },
    stream() {
      throw new Error('not used');
    },
    render() {
      throw new Error('not used');
    },
    canRender: () => false,
  };
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
