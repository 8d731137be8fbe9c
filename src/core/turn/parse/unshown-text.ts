/** unshownText: what of a response is still to be shown when it is complete. Rules: TP73, PV8. */

/** `display`: all that is to be seen; `streamed`: what went out live. Nothing goes out twice. */
export function unshownText(display: string, streamed: string): string {
  if (display.startsWith(streamed)) return display.slice(streamed.length);
  const started = streamed.trimStart();
  if (display.startsWith(started)) return display.slice(started.length);
  return display.trim() === streamed.trim() ? "" : display;
}
