import { defineEntity, p } from '@mikro-orm/core'

/** What is counted: wrong passwords, wrong second factors, codes sent by mail, organizations made. */
const throttlePurposes = ['login', 'second-factor', 'verify-sent', 'reset-sent', 'organization'] as const
export type ThrottlePurpose = (typeof throttlePurposes)[number]

const throttle = defineEntity({
  name: 'Throttle',
  tableName: 'throttle',
  properties: {
    purpose: p.enum(throttlePurposes).$type<ThrottlePurpose>().primary(),
    /** The address that was typed, lower case: known or not. */
    account: p.text().primary(),
    /** Empty: of all blocks together. */
    block: p.text().primary(),
    /** In the window that began at `since`. */
    count: p.integer().default(0),
    since: p.datetime(3),
    last: p.datetime(3).index(),
    /** When the account was last signed in to from this block; null: never. */
    knownAt: p.datetime(3).nullable(),
  },
})

/** What came from one block of addresses for one account, and failed or took something. Written only by `http/identity/session/throttle.ts`. */
export class Throttle extends throttle.class {}
throttle.setClass(Throttle)

const rateBucket = defineEntity({
  name: 'RateBucket',
  tableName: 'rate_bucket',
  properties: {
    /** The rate's name and whose it is. */
    id: p.text().primary(),
    /** Requests that are left to be handed out; fractions count. */
    tokens: p.double(),
    /** Handed out by the last draw. */
    taken: p.double(),
    at: p.datetime(3).index(),
  },
})

/** A token bucket that all processes draw from. Unlogged. Written only by `http/edge/limit/shared-limit.ts`. */
export class RateBucket extends rateBucket.class {}
rateBucket.setClass(RateBucket)
