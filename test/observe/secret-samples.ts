/** Credentials for tests, put together from pieces so that no file holds one whole. */
const join = (...pieces: readonly string[]): string => pieces.join("");
const letters = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789aBcDeFgHiJkLm";
const take = (length: number): string => letters.slice(0, length);

export const OWN_SECRET = 'own "secret"/é+0123456789';
export const PLAIN_SECRET = "plainsecret0123456789";
export const RECEIPT = join("zc-receipt-", "1774608496-", take(43));

export const PRIVATE_KEY = [
  join("-----BEGIN RSA PRIVATE", " KEY-----"),
  ...Array.from({ length: 12 }, () => join(take(40), take(24))),
  join("-----END RSA PRIVATE", " KEY-----"),
].join("\n");

/** One of each kind that has a shape of its own. */
export const credentials: readonly (readonly [what: string, credential: string])[] = [
  ["a key of this product", join("ck_", "live_", take(24))],
  ["a conversation token", join("ct_", take(20), ".", take(43))],
  ["a model provider's key", join("sk-", "proj-", take(40))],
  ["another model provider's key", join("gsk", "_", take(40))],
  ["a Google key", join("AI", "za", take(35))],
  ["a Google token", join("ya", "29.", take(40))],
  ["an AWS key id", join("AK", "IA", "ABCDEFGH12345678")],
  ["a GitHub token", join("gh", "p_", take(36))],
  ["a fine-grained GitHub token", join("github", "_pat_", take(40))],
  ["a GitLab token", join("gl", "pat-", take(20))],
  ["an npm token", join("np", "m_", take(36))],
  ["a Slack token", join("xo", "xb-", take(30))],
  ["a Telegram token", join("123456789", ":", "AA", take(33))],
  ["a Stripe key", join("sk", "_live_", take(24))],
  ["a webhook secret", join("wh", "sec_", take(32))],
  ["a SendGrid key", join("S", "G.", take(22), ".", take(43))],
  ["a JWT", join("ey", "J", take(20), ".", "ey", "J", take(30), ".", take(43))],
  ["a private key", PRIVATE_KEY],
];
