/** ObjectAlarm: the one alarm of an object, which is never lost with the handler that it woke. Rules: G10, DU23, DU24, DU45. */
import { systemPorts } from "./system-ports.ts";

/** Milliseconds until the alarm rings again if its handler dies, or cannot do its work. */
export const AGAIN_MS = 60_000;
/** The platform gives up on an alarm after about six failures. */
const LAST_RETRIES = 5;

type AlarmStorage = Pick<DurableObjectStorage, "setAlarm" | "getAlarm" | "deleteAlarm">;

export interface AlarmOptions {
  readonly storage: AlarmStorage;
  /** Epoch milliseconds of the next deadline by the rows; absent: none. */
  readonly next: () => number | undefined;
}

export class ObjectAlarm {
  readonly #storage: AlarmStorage;
  readonly #next: () => number | undefined;
  #ringing = false;
  /** What this instance set last. One before it may have set another. */
  #armed: number | undefined | "unknown" = "unknown";

  constructor({ storage, next }: AlarmOptions) {
    this.#storage = storage;
    this.#next = next;
  }

  /** Not awaited: inside a transaction it is kept or lost with the rows. While the alarm rings it stays as it is, until the end. */
  set(at: number | undefined): void {
    // Most changes leave it where it is, and setting it is a row of its own.
    if (this.#ringing || at === this.#armed) return;
    // The platform takes no time before its epoch, and a row may hold any.
    void (at === undefined ? this.#storage.deleteAlarm() : this.#storage.setAlarm(Math.max(at, 1)));
    this.#armed = at;
  }

  /** After a transaction that was rolled back, and its alarm with it. */
  readonly forget = (): void => {
    this.#armed = "unknown";
  };

  /** On boot. An alarm that is due already is about to ring: setting it again would only put it off. */
  async restore(): Promise<void> {
    const next = this.#next();
    if (next === undefined) return;
    const armed = await this.#storage.getAlarm();
    if (armed === null || armed > Math.max(next, Date.now())) this.set(next);
  }

  /**
   * The handler. Whatever `act` throws is logged, and the alarm rings again in a minute. It rejects only while not even that could
   * be arranged and the platform has tries left of its own: they are all that would wake the object then.
   */
  async ring(retryCount: number, act: () => Promise<void>): Promise<void> {
    const again = (): Promise<void> => this.#storage.setAlarm(Date.now() + AGAIN_MS);
    this.#ringing = true;
    this.forget();
    let isArmed = false;
    try {
      await again();
      isArmed = true;
      await act();
      const next = this.#next();
      this.#ringing = false;
      this.set(next);
    } catch (error) {
      systemPorts.log("error", "alarm_failed", { error: String(error), retry_count: retryCount });
      if (isArmed) return;
      if (retryCount < LAST_RETRIES) throw error;
      void again().catch(() => undefined);
    } finally {
      this.#ringing = false;
    }
  }
}
