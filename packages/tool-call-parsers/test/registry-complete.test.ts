import { expect, test } from '@jest/globals';
import { getParser, listParsers } from '@talaria/tool-call-parsers';
import { missingFormats } from './missing-formats.ts';
import { readVectorFile, spellings, testedFormats, vectorFileNames, vectorFilesOf } from './tested-formats.ts';

const registered = listParsers().map(getParser);

test('every vector file has a parser, but for those on the list of missing ones', () => {
  const read = new Set(registered.flatMap(vectorFilesOf));
  expect(vectorFileNames.filter((file) => !read.has(file))).toEqual([...missingFormats].sort());
});

test('every parser has a vector file of its own name', () => {
  expect(registered.map((parser) => parser.name).filter((name) => !vectorFileNames.includes(name))).toEqual([]);
});

test.each(vectorFileNames)('%s.jsonl has vectors with names of their own', (file) => {
  const names = readVectorFile(file).map((vector) => vector.name);
  expect(names.length).toBeGreaterThan(12);
  expect(new Set(names).size).toBe(names.length);
});

test.each(testedFormats)('$name is found under each of its names', ({ parser }) => {
  for (const name of spellings(parser)) {
    expect(getParser(name)).toBe(parser);
    expect(getParser(name.replaceAll('_', '-'))).toBe(parser);
  }
});
