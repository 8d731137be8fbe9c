/** Faults of the MCP client: what its library throws, told apart by what is known of the request. Rules: EX10, EX11, MC11–MC13, MC16–MC18. */
import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { McpFault } from "../contracts/mcp.ts";

/** Carries a fault through the library, which knows errors only. */
export class McpFaultError extends Error {
  override readonly name = "McpFaultError";
  readonly fault: McpFault;

  constructor(fault: McpFault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/** Of JSON-RPC; what a stream that ended without its answer is answered with. */
export const LOST_ANSWER = -32_099;

const UNREADABLE: ReadonlySet<string> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.ClientHttpUnexpectedContent,
]);

/** Whatever is not known to be something else may have reached the server. */
export function readFault(error: unknown): McpFault {
  for (let at = error; at instanceof Error; at = at.cause) {
    const fault = faultOf(at);
    if (fault !== undefined) return fault;
  }
  return { kind: "lost" };
}

function faultOf(error: Error): McpFault | undefined {
  if (error instanceof McpFaultError) return error.fault;
  if (error instanceof UnauthorizedError) return { kind: "unauthorized", status: 401 };
  if (error instanceof InsufficientScopeError) return { kind: "unauthorized", status: 403 };
  if (error instanceof SdkHttpError) return httpFault(error.status);
  if (error instanceof ProtocolError) {
    return error.code === LOST_ANSWER
      ? { kind: "lost" }
      : { kind: "protocol", code: error.code, message: error.message };
  }
  if (error instanceof SdkError && UNREADABLE.has(error.code)) return { kind: "malformed" };
  // Of an answer that came whole and is no JSON, or no JSON-RPC.
  return error instanceof SyntaxError || error.name.endsWith("ZodError") ? { kind: "malformed" } : undefined;
}

export const httpFault = (status: number): McpFault =>
  status === 401 || status === 403 ? { kind: "unauthorized", status } : { kind: "http", status };
