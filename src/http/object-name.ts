/** Names Durable Objects so that no two owners can ever share one. Rules: SE15. */

/** The length in front makes the encoding injective whatever the text holds. */
const encodePart = (text: string): string => `${new TextEncoder().encode(text).length}:${text},`;

export const conversationObjectName = (tenant: string, conversation: string): string =>
  `c1|${encodePart(tenant)}${encodePart(conversation)}`;

export const tenantObjectName = (tenant: string): string => `t1|${encodePart(tenant)}`;
