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
    /** Stops of the claims that run or ended lately, in the order in which they were told. */
    stops: p.json<Stop[]>().defaultRaw(`'[]'`),
    /** Moments at which the resource was on, gone or another one; RFC 3339. */
    ends: p.json<string[]>().defaultRaw(`'[]'`),
    /** Nothing from before it counts any more; empty while everything does. RFC 3339. */
    since: p.text().default(''),
    /** What claims from before `since` come to on its day. */
    carried: p.json<CarriedSaving[]>().defaultRaw(`'[]'`),
    /** The newest day (YYYY-MM-DD, UTC) that was written; empty while none was. */
    through: p.text().default(''),
    /** What is saved, cause by cause, in the order in which it began; those that are over as long as bills may still prove them. */
    claims: p.json<Claim[]>().defaultRaw(`'[]'`),
    /** What stands in its rows of the last sixty days. */
    ledger: p.json<Ledger>().defaultRaw(`'{}'`),
    /** The time of the newest run that looked at its bills, RFC 3339; empty while none has. */
    measuredAt: p.text().default(''),
  },
})

/** What is saved on one resource, by whom, and how that is known. Written only by the saving actor; there is none without a claim. */
export class Saving extends schema.class {}
schema.setClass(Saving)
