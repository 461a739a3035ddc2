import { secretField } from '@talaria/config';
import { z } from 'zod';
import type { SchemaOf } from './environment-config.ts';
import { flag, text, wholeNumber } from './field-schemas.ts';

/** The section `openai`: one model server. */
export type ServerConfig = {
  /** Seconds per request. */
  readonly timeout: number;
  readonly num_max_requests_at_once: number;
  readonly num_requests_for_eval: number;
  readonly model_name: string;
  readonly rolling_buffer_length: number;
  readonly server_type: 'openai' | 'trl' | 'sglang' | 'vllm';
  /** `none`: that of the model. */
  readonly tokenizer_name: string;
  /** `null` where the server needs none. */
  readonly api_key: string | null;
  /** `null`: the official API. */
  readonly base_url: string | null;
  readonly n_kwarg_is_ignored: boolean;
  readonly health_check: boolean;
};

/** Schema of the section `openai`. */
export const serverConfigSchema: SchemaOf<ServerConfig> = z
  .strictObject({
    model_name: text('default', 'The model.'),
    base_url: z.string().nullable().default(null).describe('Address that ends in /v1; null: the official API.'),
    api_key: secretField('Key of the server, written as the name of a variable: $' + '{NAME}.'),
    server_type: z.enum(['openai', 'trl', 'sglang', 'vllm']).default('openai').describe('Kind of server.'),
    timeout: z.number().positive().default(1200).describe('Seconds per request.'),
    num_max_requests_at_once: wholeNumber(512, 'Requests of training at the same time.', 1),
    num_requests_for_eval: wholeNumber(64, 'Requests of evaluation at the same time.', 1),
    tokenizer_name: text('none', 'Tokenizer; none: that of the model.'),
    rolling_buffer_length: wholeNumber(1000, 'Requests over which times are averaged.', 1),
    n_kwarg_is_ignored: flag(false, 'The server gives one answer whatever is asked for.'),
    health_check: flag(true, 'Look after failures whether the server is back.'),
  })
  .describe('the model server');
