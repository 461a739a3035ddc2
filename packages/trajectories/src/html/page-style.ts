/** The style of the page: no fonts, images or sheets from elsewhere. */
export const pageStyle = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
details.group { border: 1px solid #8884; border-radius: 6px; margin: .5rem 0; padding: .25rem .75rem; }
summary { cursor: pointer; }
article { border-left: 4px solid #8888; padding: .25rem 1rem; margin: 1rem 0; }
article.positive { border-color: #2a9d4a; background: #2a9d4a14; }
article.negative { border-color: #d04848; background: #d0484814; }
article.zero { border-color: #c9a227; background: #c9a22714; }
.message { margin: .75rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre { background: #8882; padding: .5rem; border-radius: 4px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
code { background: #8882; border-radius: 3px; padding: 0 .2em; }
.fields { margin: .25rem 0; font-size: .9em; }
.reasoning, .result, .info { color: #8a8a8a; }
.facts { color: #8a8a8a; font-size: .9em; }
.reward { font-weight: 600; }
`;
