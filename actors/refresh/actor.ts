import { defineActor } from '#engine/actor/actor.ts'
import { handlerOf } from '#engine/actor/machine.ts'
import { accountScanned, refreshCancelled, refreshRequested, refreshStalled } from '#streams/refresh.ts'
import { Refresh, type RefreshStatus } from './entity.ts'
import { refreshMachine } from './machine.ts'

const current = () => 'current'
const live: readonly RefreshStatus[] = ['queued', 'running', 'canceling']
export const isLive = (status: RefreshStatus): boolean => live.includes(status)

/**
 * The discovery refresh of one organization. Providers are scanned one after another, the accounts of one provider
 * together.
 */
export const refreshActor = defineActor({
  kind: 'refresh',
  entity: Refresh,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({
    refreshId: '',
    status: 'idle' as const,
    scans: [],
    discovered: 0,
    startedAt: null,
    completedAt: null,
    skippedId: '',
    skippedAt: null,
  }),
  reactions: (on) => [
    on(refreshRequested, current, handlerOf(refreshMachine, refreshRequested)),
    on(accountScanned, current, handlerOf(refreshMachine, accountScanned)),
    on(refreshCancelled, current, handlerOf(refreshMachine, refreshCancelled)),
    on(refreshStalled, current, handlerOf(refreshMachine, refreshStalled)),
  ],
})
