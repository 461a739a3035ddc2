import type { TextFamily } from './text-families.ts';

const tag = '<tool_call>';

/** Families of texts that are hostile to a reader of JSON, in the tags of Hermes: the vectors hold none of these. */
export const jsonFamilies: readonly TextFamily[] = [
  { title: 'strings that open and close out of step', lead: `${tag}{"a":"${tag}{"`, unit: '","' },
  { title: 'open string behind an escape', lead: '', unit: `${tag}{"a\\n":"` },
  { title: 'open strings behind one escape', lead: `${tag}{"\\n":1,`, unit: `"a":"${tag}{` },
  { title: 'call without name', lead: '', unit: `${tag}{"a":1}` },
  { title: 'good call', lead: '', unit: `${tag}{"name":"a","arguments":{"b":[1,"c"]}}</tool_call>` },
  { title: 'good call without end tag', lead: '', unit: `${tag}{"name":"a"}` },
  { title: 'end-of-turn token behind a call', lead: `${tag}{"name":"a"}`, unit: '</s> ' },
  { title: 'quotes', lead: `${tag}{`, unit: '"' },
  { title: 'open string', lead: `${tag}{"name": "`, unit: 'x' },
  { title: 'open string of quotes', lead: `${tag}{"name": "`, unit: '\\"' },
  { title: 'open string of escapes', lead: `${tag}{"name": "`, unit: 'a long stretch of a string\\n' },
  { title: 'open string of raw line feeds', lead: `${tag}{"name": "`, unit: '\n' },
  { title: 'nested brackets', lead: `${tag}{"name": `, unit: '[' },
  { title: 'keys', lead: `${tag}{"name": "a"`, unit: ',"b":1' },
  { title: 'repeated arguments', lead: `${tag}{"name": "a"`, unit: ',"arguments":{"a":1}' },
  { title: 'one long array', lead: `${tag}{"name": "a","arguments":{"b":[`, unit: '1,' },
  { title: 'double encoding', lead: `${tag}{"name": "a","arguments":"{\\"a\\": [`, unit: '\\"b\\",' },
];
