/** Paths of resources, as documents link to them. */
export const conversationPath = (conversation: string): string => `/v1/conversations/${conversation}`;
