/** The audit timeline of a recommendation, oldest first. */
import type { Turn } from '#engine/actor/turn.ts'
import { historyMax, type HistoryItem, type Recommendation } from '#actors/recommendation/entity.ts'

/** Maximum people remembered to have opened a recommendation. */
export const viewersMax = 1000

/**
 * `userId` is missing if the service did it. When full, the oldest views are removed first, then the oldest entries
 * after the first one.
 */
export function note(
  row: Pick<Recommendation, 'history'>,
  event: HistoryItem['event'],
  turn: Turn,
  userId?: string,
  text?: string,
): void {
  const by = userId === undefined ? ({ actor: 'system', actorType: 'system' } as const) : userOf(userId)
  const item: HistoryItem = {
    id: turn.id(),
    event,
    ...by,
    createdAt: turn.now.toISOString(),
    ...(text && { note: text }),
  }
  row.history = trimHistory([...row.history, item])
}

const userOf = (userId: string) => ({ actor: userId, actorType: 'user' as const })

function trimHistory(history: HistoryItem[]): HistoryItem[] {
  if (history.length <= historyMax) return history
  const view = history.findIndex(({ event }) => event === 'viewed')
  return history.toSpliced(view === -1 ? 1 : view, 1)
}
