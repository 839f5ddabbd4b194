/** What was typed of an anomaly and not sent, kept while another is looked at. */
import { addDays } from '../../day.ts'
import { viewerKey } from '../../session.ts'

export interface ReviewDraft {
  note: string
  /** YYYY-MM-DD; empty while it is being typed. */
  until: string
  /** When that was said which stood there as the draft began; undefined: nothing was. */
  seen: string | undefined
}

/** By the person and the anomaly. */
const drafts = new Map<string, ReviewDraft>()
const keyOf = (id: string): string => `${viewerKey()} ${id}`
/** More are not kept: the oldest go. */
const draftsMax = 50

/** Days that something is expected for unless another day is typed. */
const usualDays = 7

/** The draft of an anomaly; a new one expects it for a week from today or its own day, whichever is later. */
export const draftOf = (
  id: string,
  seen: string | undefined,
  { date, today }: { date: string; today: string },
): ReviewDraft => drafts.get(keyOf(id)) ?? { note: '', until: addDays(date > today ? date : today, usualDays), seen }

export function keep(id: string, draft: ReviewDraft): void {
  drafts.delete(keyOf(id))
  if (draft.note !== '') drafts.set(keyOf(id), draft)
  if (drafts.size > draftsMax) drafts.delete(drafts.keys().next().value!)
}
