import { expect, test } from '@jest/globals';
import { exitCodeMeaning, isLongLivedCommand } from './exit-code-meaning.ts';

test.each([
  ['grep x file', 1, /No match/],
  ['cat a | rg x', 1, /No match/],
  ['LANG=C /usr/bin/diff a b', 1, /differ/],
  ['cd a && find . -name x', 1, /partial/],
  ['[ -f x ]', 1, /false/],
  ['git diff --exit-code', 1, /normal/],
  ['curl -f http://x', 22, /HTTP error/],
  ['curl http://x', 6, /resolved/],
  ['nosuch', 127, /not found/],
  ['./script', 126, /executed/],
  ['./a.out', 139, /SIGSEGV/],
  ['./big', 137, /memory/],
  ['yes | head', 141, /SIGPIPE/],
  ["grep -E 'a|b' file", 1, /No match/],
  ['make\ngrep x file\n', 1, /No match/],
  ['git commit -F - <<EOF\nuse `grep`\nEOF', 1, /normal/],
  ['(cd a && grep x file)', 1, /No match/],
  ['diff <(ls a) <(ls b)', 1, /differ/],
])('%p with %p', (command, exitCode, expected) => {
  expect(exitCodeMeaning(command, exitCode)).toMatch(expected);
});

test.each([
  ['grep x file', 0],
  ['grep x file', 2],
  ['grep x file; make', 1],
  ['git add -A\npython -m pytest -q', 1],
  ['diff a b & make test', 1],
  ['echo "grep x" && false', 1],
  ['python3 - <<EOF\nx = $(test 1)\ny\nEOF', 1],
  ['make $(grep x file)', 1],
  ['', 1],
])('%p with %p means nothing special', (command, exitCode) => {
  expect(exitCodeMeaning(command, exitCode)).toBeUndefined();
});

test.each([
  ['npm run dev', true],
  ['python3 -m http.server 80', true],
  ['docker compose up', true],
  ['npm test', false],
])('isLongLivedCommand(%p) is %p', (command, expected) => {
  expect(isLongLivedCommand(command)).toBe(expected);
});
