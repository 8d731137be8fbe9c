/** Credential keys: member names and words whose value is taken for a secret. Rules: RE21. */

const CREDENTIAL_KEY =
  /secret|password|passwd|token|bearer|credential|cookie|authorization|(?:api|private|user)[_-]?key|(?:^|[_-])auth(?:$|[_-])/i;
const COUNT_OF_TOKENS = /tokens$/i;

export const isCredentialKey = (key: string): boolean => CREDENTIAL_KEY.test(key);

/** `max_tokens: 100` counts tokens and is none. */
export const isTokenCount = (key: string): boolean => COUNT_OF_TOKENS.test(key);
