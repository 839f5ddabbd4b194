import { defineEntity, p } from '@mikro-orm/core'

/** What is counted: wrong passwords, wrong second factors, codes sent by mail, organizations created. */
const throttlePurposes = ['login', 'second-factor', 'verify-sent', 'reset-sent', 'organization'] as const
export type ThrottlePurpose = (typeof throttlePurposes)[number]

const throttle = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    purpose: p.enum(throttlePurposes).$type<ThrottlePurpose>().primary(),
    /** The entered address, in lower case, with or without an account. */
    account: p.text().primary(),
    /** Empty: all blocks together. */
    block: p.text().primary(),
    /** Within the window that began at `since`. */
    count: p.integer().default(0),
    since: p.datetime(3),
    last: p.datetime(3).index(),
    /** When the account was last signed in to from this block; null: never. */
    knownAt: p.datetime(3).nullable(),
  },
})

/**
 * Failed tries, or uses of something limited, from one address block for one account. Written only by
 * `http/identity/session/throttle.ts`.
 */
export class Throttle extends throttle.class {}
throttle.setClass(Throttle)

const rateBucket = defineEntity({
  name: 'RateBucket',
  tableName: 'rate_bucket',
  properties: {
    /** Name of the rate, and whose it is. */
    id: p.text().primary(),
    /** Requests left in the bucket; may be fractional. */
    tokens: p.double(),
    /** Requests taken by the last draw. */
    taken: p.double(),
    at: p.datetime(3).index(),
  },
})

/** A token bucket shared by all processes. Unlogged. Written only by `http/edge/limit/shared-limit.ts`. */
export class RateBucket extends rateBucket.class {}
rateBucket.setClass(RateBucket)
