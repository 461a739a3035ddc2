export { type ConsoleSinkOptions, createConsoleSink } from './console-sink.ts';
export { createJsonlSink, type JsonlSink, type JsonlSinkOptions } from './jsonl-sink.ts';
