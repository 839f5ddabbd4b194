import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const securityEvent = defineEntity({
  name: 'SecurityEvent',
  tableName: 'security_event',
  policies: [tenantPolicy],
  properties: {
    id: p.uuid().primary(),
    /** Empty if the organization is unknown. */
    orgId: p.text(),
    type: p.text(),
    at: p.datetime(3).index(),
    userId: p.text().nullable().index(),
    /** Id of the caller's credential: `session:<id>`, `pat:<id>`, `operator`; empty for nobody. */
    principal: p.text(),
    /** The entered address, or the one that the event is about. */
    email: p.text().nullable(),
    ip: p.text(),
    userAgent: p.text(),
    requestId: p.text(),
    detail: p.json<Record<string, string>>(),
  },
  indexes: [{ properties: ['orgId', 'at', 'id'] }],
})

/** An event that administrators must be able to look up later. Added by `http/identity`, never changed. */
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
    /** SHA-256 of the request. */
    requestHash: p.text(),
    /** Identifies the request and its repeats; a request with the same key a day later has another one. */
    name: p.uuid().defaultRaw('gen_random_uuid()'),
    /** Null while the first request runs; 500 if it failed on our side, then nothing is stored. */
    status: p.integer().nullable(),
    /** Headers and body, sealed because they may contain secrets. */
    sealed: p.text().nullable(),
    startedAt: p.datetime(3).index(),
  },
})

/**
 * The response to a request with an Idempotency-Key. Written only by `http/edge/idempotency.ts`; the response in the
 * transaction of the request.
 */
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

/**
 * An invitation, or a request to confirm an address for notifications, in the last day. Written only by
 * `http/identity/person/outside-mail.ts`.
 */
export class OutsideMail extends outsideMail.class {}
outsideMail.setClass(OutsideMail)
