/** The one place where snake_case becomes camelCase: keys of one settings object, never keys that a user chose. Rules: CF2. */

export type CamelKey<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelKey<Tail>>}`
  : Key;

export type CamelKeys<Settings> = { readonly [Key in keyof Settings as CamelKey<Key & string>]: Settings[Key] };

export function camelKey(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** Frozen, one level deep: what lies below has been through here already. */
export function camelKeys<Settings extends object>(settings: Settings): CamelKeys<Settings> {
  const entries = Object.entries(settings).map(([key, value]) => [camelKey(key), value] as const);
  return Object.freeze(Object.fromEntries(entries)) as CamelKeys<Settings>;
}
