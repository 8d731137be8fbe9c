/** Approval policy: whether a call runs, needs a person, or needs nobody. Rules: AP1, AP2, AP14, SE29. */
import type { RiskProfile } from "../contracts/agent-profile.ts";
import type { JsonObject } from "../contracts/json.ts";
import type { SystemPorts } from "../contracts/ports.ts";
import type { Tool } from "../contracts/tool.ts";
import { matchesAny } from "./name-pattern.ts";

export type ApprovalRequirement = "approved" | "not_required" | "prompt";

/** `failed`: it threw, rejected, took too long or gave no boolean. `unasked`: there is none, or its answer cannot matter. */
export type PredicateOutcome = "unasked" | "declined" | "asks" | "failed";

/** Lines 3 and 4 are the ones that "always" never silences (AP14). */
export interface ApprovalRuling {
  readonly requirement: ApprovalRequirement;
  readonly line: 1 | 2 | 3 | 4 | 5 | 6 | 7;
}

export type ApprovalRules = Pick<RiskProfile, "level" | "alwaysAsk" | "autoApprove"> & {
  /** Whether "always" stands for this conversation, agent, tool name and definition hash; asked where nothing else decides. */
  readonly remembered?: () => boolean;
};

export interface ApprovalFacts extends ApprovalRules {
  readonly tool: string;
  readonly predicate: PredicateOutcome;
}

interface ApprovalLine extends ApprovalRuling {
  readonly holds: (facts: ApprovalFacts) => boolean;
}

/** The first line that holds decides. */
const approvalLines: readonly ApprovalLine[] = [
  { line: 1, requirement: "approved", holds: ({ level }) => level === "full" },
  { line: 2, requirement: "not_required", holds: ({ level }) => level === "read_only" },
  { line: 3, requirement: "prompt", holds: ({ alwaysAsk, tool }) => matchesAny(alwaysAsk, tool) },
  { line: 4, requirement: "prompt", holds: ({ predicate }) => predicate === "asks" || predicate === "failed" },
  { line: 5, requirement: "approved", holds: ({ autoApprove, tool }) => matchesAny(autoApprove, tool) },
  { line: 6, requirement: "approved", holds: ({ remembered }) => remembered?.() === true },
];

export function ruleApproval(facts: ApprovalFacts): ApprovalRuling {
  const found = approvalLines.find(({ holds }) => holds(facts));
  return found === undefined
    ? { requirement: "prompt", line: 7 }
    : { requirement: found.requirement, line: found.line };
}

/** Whether a line above the predicate's decides. */
const isSettledWithout = (facts: ApprovalFacts): boolean =>
  approvalLines.some(({ line, holds }) => line < 4 && holds(facts));

export interface ApprovalQuestion {
  readonly tool: Pick<Tool, "definition" | "needsApproval">;
  /** Already judged against the tool's schema: a predicate sees nothing else. */
  readonly args: JsonObject;
  readonly rules: ApprovalRules;
  readonly startTimer: SystemPorts["startTimer"];
}

/** Asks the tool's own predicate at most once, and only where its answer can change the ruling. */
export async function judgeApproval({ tool, args, rules, startTimer }: ApprovalQuestion): Promise<ApprovalRuling> {
  const facts: ApprovalFacts = { ...rules, tool: tool.definition.name, predicate: "unasked" };
  const { needsApproval } = tool;
  if (needsApproval === undefined || isSettledWithout(facts)) return ruleApproval(facts);
  return ruleApproval({ ...facts, predicate: await askPredicate(() => needsApproval(args), startTimer) });
}

const PREDICATE_MS = 10_000;

/** Only a plain `false` in time keeps a prompt away. */
function askPredicate(ask: () => unknown, startTimer: SystemPorts["startTimer"]): Promise<PredicateOutcome> {
  return new Promise((resolve) => {
    const stopTimer = startTimer(PREDICATE_MS, () => resolve("failed"));
    const settle = (outcome: PredicateOutcome): void => {
      stopTimer();
      resolve(outcome);
    };
    Promise.resolve()
      .then(ask)
      .then(
        (answer) => settle(answer === false ? "declined" : answer === true ? "asks" : "failed"),
        () => settle("failed"),
      );
  });
}
