/** Where one event of an event stream ends and the next begins. */
const eventEnd = /\r?\n\r?\n/;

/**
 * The same bytes, failing once more than `maxBytes` have come: in all, or of one event where the body is a stream of
 * events, which may go on for ever.
 */
export function limitBody(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  isEventStream: boolean,
): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder('latin1');
  let size = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size = isEventStream && eventEnd.test(decoder.decode(chunk)) ? 0 : size + chunk.length;
        if (size > maxBytes) controller.error(new Error(`The server sent a message of more than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
}
