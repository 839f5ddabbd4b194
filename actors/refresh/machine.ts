/** The statuses of a refresh, and what each message does in each status. */
import { input, type Machine } from '#engine/actor/machine.ts'
import { accountScanned, refreshCancelled, refreshRequested, refreshStalled } from '#streams/refresh.ts'
import type { Refresh, RefreshState } from './entity.ts'
import { begin, cancel, join, refuseCancel, skip, stall, takeScan } from './scans.ts'

const inputs = {
  requested: input(refreshRequested, 'requested'),
  scanned: input(accountScanned, 'account scanned'),
  cancelled: input(refreshCancelled, 'cancelled'),
  stalled: input(refreshStalled, 'no progress for ten minutes'),
}

const over = {
  requested: { handle: begin, next: ['queued', 'completed'] },
  cancelled: { handle: refuseCancel },
} as const

export const refreshMachine: Machine<Refresh, unknown, RefreshState, typeof inputs> = {
  name: 'refresh',
  states: {
    idle: 'Idle',
    queued: 'Queued',
    running: 'Running',
    canceling: 'Canceling',
    completed: 'Completed',
    partial: 'Partial',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
  stateOf: ({ status }) => status,
  inputs,
  transitions: {
    idle: over,
    queued: {
      requested: { handle: join },
      scanned: { handle: takeScan, next: ['running', 'completed', 'failed'] },
      cancelled: { handle: cancel, next: ['cancelled'] },
      stalled: { handle: stall, next: ['failed'] },
    },
    running: {
      requested: { handle: join },
      scanned: { handle: takeScan, next: ['completed', 'partial', 'failed'] },
      cancelled: { handle: cancel, next: ['canceling'] },
      stalled: { handle: stall, next: ['failed'] },
    },
    canceling: {
      requested: { handle: skip },
      scanned: { handle: takeScan, next: ['cancelled'] },
      cancelled: { handle: refuseCancel },
      stalled: { handle: stall, next: ['failed'] },
    },
    completed: over,
    partial: over,
    failed: over,
    cancelled: over,
  },
}
