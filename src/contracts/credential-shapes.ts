/** Shapes by which a credential is known wherever it stands, so that none is configured, logged or shown. Rules: CF5, SE69. */

export interface CredentialShape {
  /** For people: what it looks like, without a value. */
  readonly what: string;
  /** Linear in time: no nested or overlapping repeats. */
  readonly pattern: RegExp;
}

export const credentialShapes: readonly CredentialShape[] = [
  { what: "a key of this product", pattern: /\bck_(?:live|test|dev)_[A-Za-z0-9._-]{16,}/ },
  { what: "a conversation token", pattern: /\bct_[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{43}/ },
  { what: "a model provider's key", pattern: /\bsk-[A-Za-z0-9_-]{20,}/ },
  { what: "a model provider's key", pattern: /\b(?:gsk_|hf_|r8_|fw_|xai-|pplx-|nvapi-)[A-Za-z0-9]{20,}/ },
  { what: "a Google key", pattern: /\bAIza[A-Za-z0-9_-]{35}/ },
  { what: "a Google token", pattern: /\bya29\.[A-Za-z0-9_-]{20,}/ },
  { what: "an AWS key id", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/ },
  { what: "an Azure storage key", pattern: /\bAccountKey=[A-Za-z0-9+/]{40,}={0,2}/ },
  { what: "a GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})/ },
  { what: "a GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/ },
  { what: "an npm token", pattern: /\bnpm_[A-Za-z0-9]{36}/ },
  { what: "a Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/ },
  { what: "a Slack webhook", pattern: /\bhooks\.slack\.com\/services\/[A-Za-z0-9/]{20,}/ },
  { what: "a Telegram bot token", pattern: /\b\d{8,10}:AA[A-Za-z0-9_-]{33}/ },
  { what: "a Discord webhook", pattern: /\bdiscord(?:app)?\.com\/api\/webhooks\/\d+\/[A-Za-z0-9_-]{20,}/ },
  { what: "a Stripe key", pattern: /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}/ },
  { what: "a webhook secret", pattern: /\bwhsec_[A-Za-z0-9+/_-]{16,}/ },
  { what: "a SendGrid key", pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/ },
  { what: "a JWT", pattern: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}/ },
  { what: "a private key", pattern: /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----/ },
  { what: "a password in a URL", pattern: /\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s/?#@:]*:[^\s/?#@]+@/i },
  { what: "a password in a connection string", pattern: /\b(?:password|pwd)=[^\s;"'{}]{6,}/i },
];
