/** One line of the palette, and which of them fit what was typed. */
export interface PaletteEntry {
  /** Unique in the palette. */
  id: string
  group: string
  title: string
  /** What tells it from others of that name. */
  detail?: string
  icon: string
  run: () => void
}

/** All words are in the title or the detail, in any order. */
export function fits({ title, detail = '' }: Pick<PaletteEntry, 'title' | 'detail'>, text: string): boolean {
  const where = `${title} ${detail}`.toLocaleLowerCase()
  return text
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => where.includes(word))
}

/** Titles that begin with the text come first; others keep their order. */
export function toFitting(entries: readonly PaletteEntry[], text: string, most: number): PaletteEntry[] {
  const start = text.toLocaleLowerCase()
  const begins = ({ title }: PaletteEntry) => Number(!title.toLocaleLowerCase().startsWith(start))
  return entries
    .filter((one) => fits(one, text))
    .toSorted((a, b) => begins(a) - begins(b))
    .slice(0, most)
}

/** Each group with its entries, in the order in which the groups come first. */
export const toGroups = (entries: readonly PaletteEntry[]): [string, PaletteEntry[]][] => [
  ...Map.groupBy(entries, ({ group }) => group),
]
