/** Which of the rows of a list fit the words best. */
import type { FoundItem } from './kinds.ts'

/** 0: the title itself; 1: its beginning; 2: the beginning of one of its words; 3: within it; 4: within the detail or the ID; 5: nowhere. */
function rankOf({ title, detail, id }: FoundItem, words: string): number {
  const [name, wanted] = [title.toLowerCase(), words.toLowerCase()]
  if (name === wanted) return 0
  if (name.startsWith(wanted)) return 1
  const at = name.indexOf(wanted)
  if (at > 0) return /[^\p{L}\p{N}]/u.test(name[at - 1]!) ? 2 : 3
  return `${detail}\n${id}`.toLowerCase().includes(wanted) ? 4 : 5
}

const nowhere = 5

/**
 * The best rows first; equal ones keep the order of their list.
 * @param isWhole whether the list was not searched yet: rows without the words are left out
 */
export function bestOf(rows: readonly FoundItem[], words: string, limit: number, isWhole: boolean): FoundItem[] {
  return rows
    .map((row) => ({ row, rank: rankOf(row, words) }))
    .filter(({ rank }) => !isWhole || rank < nowhere)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ row }) => row)
}
