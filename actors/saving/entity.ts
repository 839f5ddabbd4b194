import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { Claim, Ledger } from './claim.ts'
import type { CarriedSaving, Stop } from './off-time.ts'

const schema = defineEntity({
  name: 'Saving',
  tableName: 'saving',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    uid: p.text().primary(),
    /** Stops of claims that run or ended recently, in the order in which they were reported. */
    stops: p.json<Stop[]>().defaultRaw(`'[]'`),
    /** Times at which the resource was observed running, deleted or resized; RFC 3339. */
    ends: p.json<string[]>().defaultRaw(`'[]'`),
    /** Anything before it is ignored now; empty if nothing is. RFC 3339. */
    since: p.text().default(''),
    /** What claims from before `since` saved on its day. */
    carried: p.json<CarriedSaving[]>().defaultRaw(`'[]'`),
    /** The newest written day (YYYY-MM-DD, UTC); empty if none was. */
    through: p.text().default(''),
    /** Claims by cause, in order of their start; ended ones as long as bills may still verify them. */
    claims: p.json<Claim[]>().defaultRaw(`'[]'`),
    /** The amounts in its rows of the last sixty days. */
    ledger: p.json<Ledger>().defaultRaw(`'{}'`),
    /** Time of the newest run that checked its bills, RFC 3339; empty if none has. */
    measuredAt: p.text().default(''),
  },
})

/**
 * Savings on one resource: by which cause, and how well known. Written only by the saving actor; without claims there
 * is no row.
 */
export class Saving extends schema.class {}
schema.setClass(Saving)
