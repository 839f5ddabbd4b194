/** What a group is called by each of its dimensions. */

export interface GroupName {
  dims: readonly string[]
  value: Readonly<Record<string, string>>
  /** What it is called: its parts joined by a slash, as the API gives it. */
  label: string
}

/** Names may hold the slash that joins them: then values stand for themselves. */
export function partsOf({ dims, value, label }: GroupName): string[] {
  const parts = dims.length === 1 ? [label] : label.split(' / ')
  return parts.length === dims.length ? parts : dims.map((dim) => value[dim] ?? '')
}
