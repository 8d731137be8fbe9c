/** Egress refusals: the closed list of classes, the one text that names them. Rules: SE33, SE44. */

export type EgressClass =
  | "url"
  | "scheme"
  | "userinfo"
  | "ip_literal"
  | "hostname"
  | "own_host"
  | "port"
  | "not_allowed"
  | "redirect"
  | "header"
  | "size"
  | "timeout"
  | "content_type";

export interface EgressFault {
  readonly class: EgressClass;
}

/** Neither address nor host: what was refused is the asker's own input, why is the class. */
export const describeEgressRefusal = (refusal: EgressClass): string => `egress blocked: ${refusal}`;
