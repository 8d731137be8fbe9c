/** Turns the members of our own typed values into wire names; members that carry user data pass untouched. */

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `opaque` names members (camelCase) whose values are somebody's data: their own names are never translated. */
export function encodeNames(value: object, opaque: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      toSnake(name),
      opaque.has(name) ? member : encodeMember(member, opaque),
    ]),
  );
}

function encodeMember(member: unknown, opaque: ReadonlySet<string>): unknown {
  if (Array.isArray(member)) return member.map((item: unknown) => encodeMember(item, opaque));
  return typeof member === "object" && member !== null ? encodeNames(member, opaque) : member;
}
