/** What a suspended turn waits for: decided by whoever sits at the terminal, or left open with the way to decide it. Rules: AP6, SE56. */
import { z } from "zod";
import type { ApprovalDecision } from "../../src/contracts/approval.ts";
import { describeFault, describeProblem } from "./describe-problem.ts";
import { keyInShell, type ServerKey } from "./server-key.ts";
import { shorten } from "./terminal-text.ts";

export interface SuspendedTurn extends ServerKey {
  /** Origin of the server. */
  readonly url: string;
  readonly conversation: string;
  readonly turn: string;
}

export interface TurnDecider {
  /** Answers what was typed, nothing when nobody answers any more; absent where nobody can be asked. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
  /** Told of each line that is to be read. */
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}

const turnSchema = z.object({
  state: z.string(),
  open_requests: z
    .object({
      approvals: z.array(z.object({ approval_id: z.string(), tool: z.string(), arguments_summary: z.string() })),
      client_calls: z.array(z.object({ call_id: z.string(), tool: z.string() })),
    })
    .optional(),
});
type OpenRequests = NonNullable<z.infer<typeof turnSchema>["open_requests"]>;
type OpenApproval = OpenRequests["approvals"][number];

/** True when the turn runs again, by this or by whoever was faster; else it has been said how it goes on. */
export async function decideTurn(turn: SuspendedTurn, decider: TurnDecider): Promise<boolean> {
  const { ask, print, signal } = decider;
  const open = await readOpenRequests(turn, signal);
  for (const approval of ask === undefined ? [] : (open?.approvals ?? [])) {
    const decision = await askDecision(approval, decider);
    if (decision === undefined) break;
    const refusal = await postDecision(turn, { approval, decision, signal });
    if (refusal !== undefined) print(refusal);
  }
  const left = signal.aborted ? open : await readOpenRequests(turn, signal);
  if (left === undefined) return true;
  for (const line of describeOpen(turn, left)) print(line);
  return false;
}

const pathOf = ({ url, conversation }: SuspendedTurn): string => `${url}/v1/conversations/${conversation}`;

/** Nothing when the turn waits for nobody, or the server cannot be asked: then its stream says what is the matter. */
async function readOpenRequests(turn: SuspendedTurn, signal: AbortSignal): Promise<OpenRequests | undefined> {
  try {
    const headers = { authorization: `Bearer ${turn.key}` };
    const response = await fetch(`${pathOf(turn)}/turns/${turn.turn}`, { headers, signal });
    const { state, open_requests: open } = turnSchema.parse(await response.json());
    return state === "suspended" ? open : undefined;
  } catch {
    return undefined;
  }
}

const answers: ReadonlyMap<string, ApprovalDecision> = new Map([
  ["y", "approve"],
  ["yes", "approve"],
  ["n", "deny"],
  ["no", "deny"],
  ["a", "always"],
  ["always", "always"],
]);

async function askDecision({ tool, arguments_summary: summary }: OpenApproval, { ask }: TurnDecider) {
  for (;;) {
    const typed = await ask?.(`run ${shorten(tool, 80)} (${shorten(summary, 160)})? [y]es, [n]o, [a]lways: `);
    const decision = typed === undefined ? undefined : answers.get(typed.trim().toLowerCase());
    if (typed === undefined || decision !== undefined) return decision;
  }
}

interface Decision {
  readonly approval: OpenApproval;
  readonly decision: ApprovalDecision;
  readonly signal: AbortSignal;
}

/** Why it was not taken, in a line. */
async function postDecision(
  turn: SuspendedTurn,
  { approval, decision, signal }: Decision,
): Promise<string | undefined> {
  try {
    const response = await fetch(`${pathOf(turn)}/approvals/${approval.approval_id}`, {
      method: "POST",
      headers: { authorization: `Bearer ${turn.key}`, "content-type": "application/json" },
      body: JSON.stringify({ decision }),
      signal,
    });
    const body = await response.text();
    return response.ok ? undefined : describeProblem(response.status, body).line;
  } catch (fault) {
    return `not decided: ${describeFault(fault)}`;
  }
}

/** Commands for a shell in which `KEY` is the server's key, which is shown to nobody. */
function describeOpen(turn: SuspendedTurn, { approvals, client_calls: calls }: OpenRequests): readonly string[] {
  const authorized = '-H "Authorization: Bearer $KEY"';
  const post = (tail: string, body: object): string =>
    `curl -sS ${pathOf(turn)}/${tail} ${authorized} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    `# while the server runs (npm start):`,
    `KEY="${keyInShell[turn.keySource]}"`,
    ...approvals.flatMap(({ approval_id: id, tool }) => [
      `# ${shorten(tool, 80)}: let it run, or not`,
      post(`approvals/${id}`, { decision: "approve" }),
      post(`approvals/${id}`, { decision: "deny" }),
    ]),
    ...calls.flatMap(({ call_id: id, tool }) => [
      `# ${shorten(tool, 80)}: say what it came to`,
      post(`turns/${turn.turn}/tool_results`, { results: [{ call_id: id, output: "…" }] }),
    ]),
    "# see how it went on",
    `curl -sS -N "${pathOf(turn)}/events?turn=${turn.turn}" ${authorized} -H 'Accept: text/event-stream'`,
  ];
}
