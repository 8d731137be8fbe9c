/** Admission: what would make a conversation or a turn asks the tenant first, one post at a time. Rules: SE80, SE83, DU46, LC30. */
import type { Problem } from "../src/contracts/errors.ts";
import type { Result } from "../src/contracts/result.ts";
import type { AcceptedTurn, Caller, CreateConversation, StartTurn } from "../src/contracts/verbs.ts";
import { unreachable } from "../src/http/reach-object.ts";
import { askForConversation, askForTurn, type Question } from "./admission-question.ts";
import type { Conversation, ConversationEntry, Survey } from "./conversation-entry.ts";
import { systemPorts } from "./system-ports.ts";
import type { TenantPort } from "./tenant-port.ts";
import { startTurn } from "./turn-verbs.ts";

type Entry = Pick<ConversationEntry, "survey" | "tenantOf" | "enterOrCreate" | "enterForTurn">;

/** Milliseconds for which a tenant that could not be reached is not asked again, so that posts do not pile up behind it. */
const restMs = 5000;

export class Admission {
  readonly #entry: Entry;
  #last: Promise<unknown> = Promise.resolve();
  #silentUntil = 0;

  constructor(entry: Entry) {
    this.#entry = entry;
  }

  createConversation(caller: Caller, create: CreateConversation): Promise<Result<Conversation, Problem>> {
    const ask = (found: Survey): Question | undefined => askForConversation(found, create);
    return this.#pass(caller, ask, () => this.#entry.enterOrCreate(caller, create));
  }

  startTurn(caller: Caller, start: StartTurn): Promise<Result<AcceptedTurn, Problem>> {
    const ask = (found: Survey): Question | undefined => askForTurn(found, caller, start);
    return this.#pass(caller, ask, () => this.#accept(caller, start));
  }

  #accept(caller: Caller, start: StartTurn): Result<AcceptedTurn, Problem> {
    const entered = this.#entry.enterForTurn(caller, start);
    if (!entered.ok) return entered;
    const { parts, queue, record } = entered.value;
    const accepted = startTurn(parts, caller, { ...start, defaultAgent: record.agent });
    queue.settle();
    return accepted;
  }

  /**
   * Asks, and then acts in the same breath. Posts come one behind the other, so that each asks for the turn that it will make.
   * Whoever may do nothing here is refused by `act`, and nobody is asked.
   */
  #pass<Value>(
    caller: Caller,
    ask: (found: Survey) => Question | undefined,
    act: () => Result<Value, Problem>,
  ): Promise<Result<Value, Problem>> {
    const { principal, conversation } = caller;
    const passed = this.#last.then(async () => {
      const found = this.#entry.survey(caller);
      const tenant = this.#entry.tenantOf({ tenant: principal.tenant, conversation });
      return (await this.#findRefusal(tenant, found && ask(found))) ?? act();
    });
    this.#last = passed.catch(() => undefined);
    return passed;
  }

  /** An answer that does not come in time holds up no conversation that exists. */
  async #findRefusal(tenant: TenantPort, question: Question | undefined): Promise<Result<never, Problem> | undefined> {
    if (question === undefined) return undefined;
    const { request, needsAnswer } = question;
    if (!needsAnswer && Date.now() < this.#silentUntil) return undefined;
    const answer = await tenant.admit(request);
    if (answer.ok) return undefined;
    if (answer.failure.slug !== unreachable.slug) return answer;
    this.#silentUntil = Date.now() + restMs;
    systemPorts.log("warn", "admission_unanswered", { refused: needsAnswer });
    return needsAnswer ? answer : undefined;
  }
}
