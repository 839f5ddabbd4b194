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
/** The status of a refresh itself: only a request is skipped. */
export type RefreshState = Exclude<RefreshStatus, 'skipped'>

/** What became of one account of a refresh; `waiting` until its provider's turn comes. */
export interface Scan {
  /** What the account knows the scan by: the refresh's id, but one of its own for an account that is scanned again. */
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
    /** Always `current`: one live refresh an organization. */
    key: p.text().primary(),
    /** The live or newest refresh that did any work; empty before the first. */
    refreshId: p.text().default(''),
    status: p.enum(refreshStatuses).$type<RefreshState>().default('idle'),
    scans: p.json<Scan[]>().defaultRaw(`'[]'`),
    discovered: p.integer().default(0),
    startedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
    /** The newest request that found every account busy: shown to those who ask for it by its id. */
    skippedId: p.text().default(''),
    skippedAt: p.datetime(3).nullable(),
  },
})

/** The discovery refresh of an organization. Written only by the refresh actor. */
export class Refresh extends schema.class {}
schema.setClass(Refresh)
