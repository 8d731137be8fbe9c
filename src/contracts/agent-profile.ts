/** Agent, risk and runtime profiles with all defaults filled in: the camelCase side of the configuration. Rules: RX6, CF2. */

export interface ToolReceiptSettings {
  readonly enabled: boolean;
  readonly showInResponse: boolean;
  readonly injectSystemPrompt: boolean;
  readonly scope: "conversation" | "turn";
  readonly retentionDays: number;
  readonly onFabricated: "flag" | "strip" | "fail";
}

export interface AgentProfile {
  readonly alias: string;
  readonly enabled: boolean;
  readonly modelProvider: string;
  readonly model: string | null;
  readonly temperature: number | null;
  readonly systemPrompt: string;
  readonly riskProfile: string;
  readonly runtimeProfile: string;
  readonly builtinTools: readonly string[];
  readonly toolBundles: readonly string[];
  readonly mcpBundles: readonly string[];
  readonly switchableModels: readonly string[];
  readonly clientToolsFromRequest: boolean;
  readonly delegates: readonly string[];
  readonly delegateSameRiskProfile: boolean;
  readonly toolReceipts: ToolReceiptSettings;
}

export type AutonomyLevel = "full" | "supervised" | "read_only";

export interface RiskProfile {
  readonly level: AutonomyLevel;
  readonly autoApprove: readonly string[];
  readonly alwaysAsk: readonly string[];
  readonly allowedTools: readonly string[];
  readonly excludedTools: readonly string[];
  readonly approvalTimeoutSecs: number;
  readonly approvalRoute: {
    readonly approverChannel: string;
    readonly onNoApprover: "deny" | "inherit_originator";
    readonly timeoutSecs: number;
  } | null;
  readonly delegationPolicy: { readonly mode: "forbidden" | "allow" };
  readonly mcpAutoAdmit: boolean;
  readonly onDefinitionChange: "disable" | "allow";
}

export interface ToolFilterGroup {
  readonly mode: "always" | "dynamic";
  readonly tools: readonly string[];
  readonly keywords: readonly string[];
}

export interface RuntimeProfile {
  /** 0 in the file means 10; resolved, it is never 0 (RX6). */
  readonly maxToolIterations: number;
  readonly maxIterationBehavior: "graceful_summary" | "error";
  readonly parallelTools: boolean;
  readonly maxParallelTools: number;
  readonly toolTimeoutSecs: number;
  readonly clientToolTimeoutSecs: number;
  readonly noProgressSecs: number;
  /** Code points; 0 is off. */
  readonly maxToolResultChars: number;
  /** UTF-8 bytes. */
  readonly maxStoredResultBytes: number;
  readonly readResultTool: boolean;
  readonly dedupEnabled: boolean;
  readonly toolCallDedupExempt: readonly string[];
  readonly strictToolParsing: boolean;
  readonly detectProtocolWithoutTools: boolean;
  readonly toolFilterGroups: readonly ToolFilterGroup[];
  readonly draftReasoning: "off" | "status" | "full";
  readonly redactEvents: boolean;
  readonly onBusy: "queue" | "reject" | "steer" | "interrupt";
  /** Tokens; 0 is off. */
  readonly maxContextTokens: number;
  readonly maxHistoryMessages: number;
  readonly historyPruning: { readonly enabled: boolean; readonly maxTokens: number };
  readonly maxDelegationDepth: number;
  readonly pacing: {
    readonly stepTimeoutSecs: number | null;
    readonly loopDetectionEnabled: boolean;
    readonly loopDetectionWindowSize: number;
    readonly loopDetectionMaxRepeats: number;
    readonly loopDetectionMinElapsedSecs: number | null;
    readonly loopIgnoreTools: readonly string[];
  };
  readonly cost: {
    readonly enabled: boolean;
    readonly dailyLimitUsd: number;
    readonly monthlyLimitUsd: number;
    readonly warnAtPercent: number;
  };
}
