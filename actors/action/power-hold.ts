/** A workflow that has several calls to make keeps others from starting and stopping the resource between them. */
import type { Static } from '#engine/schema.ts'
import type { Turn } from '#engine/turn.ts'
import { actionWaited, powerRested } from '#streams/action.ts'
import type { powerFreed, powerHeld } from '#streams/workflow.ts'
import type { Power } from './entity.ts'
import { addressOf, rest } from './power-end.ts'
import { holderOf } from './power-record.ts'

/** Of two workflows the first has it, until it lets go or its time is over. */
export function hold(row: Power, { jobId, until }: Static<typeof powerHeld.schema>, turn: Turn): void {
  if ((holderOf(row, turn) ?? jobId) !== jobId) return
  row.held = { jobId, until }
  turn.remind('held', new Date(until), powerRested, addressOf(turn))
}

export function free(row: Power, { jobId }: Static<typeof powerFreed.schema>, turn: Turn): void {
  if (row.held?.jobId === jobId) letGo(row, turn)
}

/** What waited begins by a message of its own; without anything left the row goes. */
function letGo(row: Power, turn: Turn): void {
  row.held = null
  turn.forget('held')
  if (!row.live && row.waiting) turn.emit(actionWaited, { ...addressOf(turn), actionId: row.waiting.record.actionId })
  if (row.last === null) rest(row, turn)
}

/** A minute has passed since the last action, or the time of a workflow is over. */
export function restDue(row: Power, turn: Turn): void {
  if (row.held && holderOf(row, turn) === undefined) letGo(row, turn)
  else rest(row, turn)
}
