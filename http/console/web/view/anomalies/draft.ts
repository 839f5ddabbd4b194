/** What was typed of an anomaly and not sent, kept while another is looked at. */
import { addDays } from '../../day.ts'
import { whose } from '../../session.ts'

export interface Draft {
  note: string
  /** YYYY-MM-DD; empty while it is being typed. */
  until: string
  /** When that was said which stood there as the draft began; undefined: nothing was. */
  seen: string | undefined
}

/** By the person and the anomaly. */
const kept = new Map<string, Draft>()
const keyOf = (id: string): string => `${whose()} ${id}`
/** More are not kept: the oldest go. */
const keptMax = 50

/** Days that something is expected for unless another day is typed. */
const usualDays = 7

/** The draft of an anomaly; a new one expects it for a week from today or its own day, whichever is later. */
export const draftOf = (
  id: string,
  seen: string | undefined,
  { date, today }: { date: string; today: string },
): Draft => kept.get(keyOf(id)) ?? { note: '', until: addDays(date > today ? date : today, usualDays), seen }

export function keep(id: string, draft: Draft): void {
  kept.delete(keyOf(id))
  if (draft.note !== '') kept.set(keyOf(id), draft)
  if (kept.size > keptMax) kept.delete(kept.keys().next().value!)
}
