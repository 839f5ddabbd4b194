/** A workflow that has several calls to make keeps others from starting and stopping the resource between them. */
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { actionWaited, powerRested } from '#streams/action/messages.ts'
import type { powerFreed, powerHeld } from '#streams/workflow.ts'
import type { Power } from '#actors/action/entity.ts'
import { addressOf, rest } from './end.ts'
import { holderOf } from './record.ts'

/** Of two workflows the first has it, until it lets go or its time is over. What it let go of it does not take again. */
export function hold(row: Power, { jobId, until }: Static<typeof powerHeld.schema>, turn: Turn): void {
  const isLetGo = row.held?.jobId === jobId && holderOf(row, turn) === undefined
  if (isLetGo || (holderOf(row, turn) ?? jobId) !== jobId) return
  row.held = { jobId, until }
  turn.remind('held', new Date(until), powerRested, addressOf(turn))
}

/** The words may come in either order: who has let go is remembered for a while. */
const letGoMs = 60_000

export function free(row: Power, { jobId }: Static<typeof powerFreed.schema>, turn: Turn): void {
  if ((holderOf(row, turn) ?? jobId) !== jobId) return
  row.held = { jobId, until: turn.now.toISOString() }
  turn.remind('held', new Date(turn.now.getTime() + letGoMs), powerRested, addressOf(turn))
  if (!row.live && row.waiting) turn.emit(actionWaited, { ...addressOf(turn), actionId: row.waiting.record.actionId })
}

/** A minute has passed since the last action, or the time of a workflow is over. What waited begins by a message of its own. */
export function restDue(row: Power, turn: Turn): void {
  if (row.held && holderOf(row, turn) === undefined) {
    row.held = null
    if (!row.live && row.waiting) turn.emit(actionWaited, { ...addressOf(turn), actionId: row.waiting.record.actionId })
  }
  rest(row, turn)
}
