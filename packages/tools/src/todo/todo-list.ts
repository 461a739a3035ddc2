import { truncateText } from '@talaria/core';

/** How far an item is. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'cancelled';

/** One thing to do. */
export interface TodoItem {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
}

/** An item as the model wrote it. */
export interface TodoEntry {
  readonly id?: string;
  readonly content?: string;
  readonly status?: string;
}

const maxItems = 200;
/** Of an id and of a content. */
const maxChars = 1_000;
const statuses: readonly TodoStatus[] = ['pending', 'in_progress', 'completed', 'cancelled'];

/** The list that entries make: in order, the last of two with the same id at the place of the first. */
export function replaceTodos(entries: readonly TodoEntry[]): readonly TodoItem[] {
  const items = new Map<string, TodoItem>();
  const given = new Set(entries.map(idOf));
  let nextNumber = 1;
  for (const entry of entries) {
    let id = idOf(entry);
    if (id === '') {
      while (given.has(String(nextNumber))) nextNumber += 1;
      id = String(nextNumber);
      given.add(id);
    }
    items.set(id, { id, content: contentOf(entry), status: statusOf(entry) ?? 'pending' });
  }
  return [...items.values()].slice(0, maxItems);
}

/** The list with the given fields of known ids changed and new ids appended. Entries without an id are left out. */
export function mergeTodos(list: readonly TodoItem[], entries: readonly TodoEntry[]): readonly TodoItem[] {
  const items = new Map(list.map((item) => [item.id, item]));
  for (const entry of entries) {
    const id = idOf(entry);
    if (id === '') continue;
    const known = items.get(id);
    const hasContent = (entry.content ?? '').trim() !== '';
    items.set(id, {
      id,
      content: known !== undefined && !hasContent ? known.content : contentOf(entry),
      status: statusOf(entry) ?? known?.status ?? 'pending',
    });
  }
  return [...items.values()].slice(0, maxItems);
}

/** How many items there are of each status. */
export function summarizeTodos(list: readonly TodoItem[]): Readonly<Record<'total' | TodoStatus, number>> {
  const count = (status: TodoStatus): number => list.filter((item) => item.status === status).length;
  return {
    total: list.length,
    pending: count('pending'),
    in_progress: count('in_progress'),
    completed: count('completed'),
    cancelled: count('cancelled'),
  };
}

const markers: Readonly<Record<TodoStatus, string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
  cancelled: '[~]',
};

/** What is still open, one item a line, for a conversation whose earlier part was cut; `''` where nothing is. */
export function renderOpenTodos(list: readonly TodoItem[]): string {
  return list
    .filter(({ status }) => status === 'pending' || status === 'in_progress')
    .map(({ id, content, status }) => `${markers[status]} ${id}. ${content}`)
    .join('\n');
}

function idOf({ id = '' }: TodoEntry): string {
  return shorten(id);
}

function contentOf({ content = '' }: TodoEntry): string {
  const text = shorten(content);
  return text === '' ? '(no description)' : text;
}

function shorten(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= maxChars ? trimmed : truncateText(trimmed, maxChars - 1);
}

function statusOf({ status = '' }: TodoEntry): TodoStatus | undefined {
  const lower = status.trim().toLowerCase();
  return statuses.find((known) => known === lower);
}
