import { z } from 'zod';
import type { SchemaOf } from './environment-config.ts';
import { flag, optionalText, textList, wholeNumber } from './field-schemas.ts';

/** Programs and services that web tools can ask. */
const webBackends = ['exa', 'fetch', 'firecrawl', 'fixture', 'parallel', 'searxng', 'tavily'] as const;

/** The section `web`: who answers `web_search` and `web_extract`, and which addresses tools may visit. */
export type WebConfig = {
  /** Who searches and reads; `null`: whose key is set. */
  readonly backend: (typeof webBackends)[number] | null;
  /** Who searches, where that is somebody else. */
  readonly search_backend: (typeof webBackends)[number] | null;
  /** Who reads pages, where that is somebody else. */
  readonly extract_backend: (typeof webBackends)[number] | null;
  readonly searxng_url: string | null;
  /** File with the pages and answers of the backend `fixture`. */
  readonly fixture: string | null;
  /** Store answers, answer from the store alone, or neither. */
  readonly replay: 'off' | 'record' | 'replay';
  /** Folder of stored answers. */
  readonly replay_dir: string;
  readonly max_page_chars: number;
  /** Hosts that tools may visit though they are private. */
  readonly allow_private_hosts: readonly string[];
  /** Let tools visit every private address but those of machine metadata. */
  readonly allow_private_network: boolean;
  /** Only these domains and what is below them; empty: all. */
  readonly allowed_domains: readonly string[];
  readonly blocked_domains: readonly string[];
  /** Model that shortens long pages; `null`: they are cut. */
  readonly summarizer: string | null;
};

/** Schema of the section `web`. */
export const webConfigSchema: SchemaOf<WebConfig> = z
  .strictObject({
    backend: z
      .enum(webBackends)
      .nullable()
      .default(null)
      .describe('Who searches and reads pages; null: whose key is set.'),
    search_backend: z.enum(webBackends).nullable().default(null).describe('Who searches, where that is somebody else.'),
    extract_backend: z
      .enum(webBackends)
      .nullable()
      .default(null)
      .describe('Who reads pages, where that is somebody else.'),
    searxng_url: optionalText('Address of a SearXNG server; null: the variable SEARXNG_URL.'),
    fixture: optionalText('File with the pages and answers of the backend fixture.'),
    replay: z
      .enum(['off', 'record', 'replay'])
      .default('off')
      .describe('Store answers, or answer from what is stored.'),
    replay_dir: z.string().min(1).default('data/web-replay').describe('Folder of stored answers.'),
    max_page_chars: wholeNumber(20_000, 'Characters of a page that one call of web_extract gives.', 1_000),
    allow_private_hosts: textList('Hosts that tools may visit though they are private, such as test servers.'),
    allow_private_network: flag(false, 'Let tools visit private addresses; those of machine metadata stay closed.'),
    allowed_domains: textList('Domains that tools may visit; empty: all.'),
    blocked_domains: textList('Domains that tools may not visit.'),
    summarizer: optionalText('Model that shortens long pages, such as openai/gpt-4.1-mini; null: they are cut.'),
  })
  .describe('how tools reach the web');
