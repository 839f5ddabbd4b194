import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { Provider } from '#streams/names.ts'
import type { Rescan } from '#streams/refresh.ts'

export const refreshStatuses = [
  'queued',
  'running',
  'canceling',
  'completed',
  'partial',
  'failed',
  'cancelled',
  'skipped',
  'idle',
] as const
export type RefreshStatus = (typeof refreshStatuses)[number]
/** The status of a refresh; `skipped` is only the status of a request. */
export type RefreshState = Exclude<RefreshStatus, 'skipped'>

/** The state of one account in a refresh; `waiting` until its provider is scanned. */
export interface Scan {
  /**
   * The id by which the account knows the scan: that of the refresh, or one of its own if the account is scanned again.
   */
  scanId: string
  cloudAccountId: string
  provider: Provider
  status: 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled'
  discovered: number
  /** Only what an earlier scan could not read. */
  rescan?: Rescan
}

const schema = defineEntity({
  name: 'Refresh',
  tableName: 'refresh',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** Always `current`: an organization has one live refresh. */
    key: p.text().primary(),
    /** The live or newest refresh with any work; empty before the first. */
    refreshId: p.text().default(''),
    status: p.enum(refreshStatuses).$type<RefreshState>().default('idle'),
    scans: p.json<Scan[]>().defaultRaw(`'[]'`),
    discovered: p.integer().default(0),
    startedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
    /** The newest request that was skipped because every account was busy: shown when requested by its id. */
    skippedId: p.text().default(''),
    skippedAt: p.datetime(3).nullable(),
  },
})

/** The discovery refresh of an organization. Written only by the refresh actor. */
export class Refresh extends schema.class {}
schema.setClass(Refresh)
