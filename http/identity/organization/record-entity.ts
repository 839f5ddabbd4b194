import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const securityEvent = defineEntity({
  name: 'SecurityEvent',
  tableName: 'security_event',
  policies: [tenantPolicy],
  properties: {
    id: p.uuid().primary(),
    /** Empty when nothing says which organization it concerns. */
    orgId: p.text(),
    type: p.text(),
    at: p.datetime(3).index(),
    userId: p.text().nullable().index(),
    /** What called: `session:<id>`, `pat:<id>`, `operator`; empty for nobody. */
    principal: p.text(),
    /** The address that was typed, or that it is about. */
    email: p.text().nullable(),
    ip: p.text(),
    userAgent: p.text(),
    requestId: p.text(),
    detail: p.json<Record<string, string>>(),
  },
  indexes: [{ properties: ['orgId', 'at', 'id'] }],
})

/** Something an administrator must be able to find out later. Added by `http/identity`, changed by nobody. */
export class SecurityEvent extends securityEvent.class {}
securityEvent.setClass(SecurityEvent)

const idempotentAnswer = defineEntity({
  name: 'IdempotentAnswer',
  tableName: 'idempotent_answer',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    principal: p.text().primary(),
    /** SHA-256 of method, path and query. */
    route: p.text().primary(),
    key: p.text().primary(),
    /** SHA-256 of what was asked. */
    requestHash: p.text(),
    /** Names the request and its repeats; another one under the same key, a day later, has another. */
    name: p.uuid().defaultRaw('gen_random_uuid()'),
    /** Null while the first one runs; 500 when it failed on our side, and nothing is sealed. */
    status: p.integer().nullable(),
    /** Headers and body, sealed: they may hold secrets. */
    sealed: p.text().nullable(),
    startedAt: p.datetime(3).index(),
  },
})

/** What a request with an Idempotency-Key was answered. Written by `http/edge/idempotency.ts` alone, its answer in the transaction of what was asked. */
export class IdempotentAnswer extends idempotentAnswer.class {}
idempotentAnswer.setClass(IdempotentAnswer)

const outsideMail = defineEntity({
  name: 'OutsideMail',
  tableName: 'outside_mail',
  policies: [tenantPolicy],
  properties: {
    id: p.uuid().primary(),
    orgId: p.text().index(),
    /** SHA-256 of the address. */
    recipient: p.text(),
    sentAt: p.datetime(3).index(),
  },
})

/** An invitation, or a question whether an address wants notifications, of the last day. Written by `http/identity/person/outside-mail.ts` alone. */
export class OutsideMail extends outsideMail.class {}
outsideMail.setClass(OutsideMail)
