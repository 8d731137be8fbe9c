/** linkSignal: an AbortSignal that follows one of ours, for a library that takes no other. Rules: MC9. */
import type { CancelSignal } from "../contracts/ports.ts";

export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** To be called when nobody listens any more. */
  readonly unlink: () => void;
}

export function linkSignal(followed: CancelSignal): LinkedSignal {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  followed.addEventListener("abort", stop, { once: true });
  if (followed.aborted) stop();
  return { signal: abort.signal, unlink: () => followed.removeEventListener("abort", stop) };
}
