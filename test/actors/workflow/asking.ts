/** What the guard is asked, and what it knows. */
import type { GuardRequest, Grounds } from '#actors/workflow/guard/check.ts'
import type { Grant } from '#actors/workflow/guard/entity.ts'
import { guardrailDefaults, type Guardrail } from '#actors/workflow/guard/guardrail.ts'

/** A Thursday. */
export const now = Date.parse('2026-01-15T10:00:00Z')
export const secondMs = 1000
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
export const iso = (at: number) => new Date(at).toISOString()

export const asked = (fields: Partial<GuardRequest> = {}): GuardRequest => ({
  cloudAccountId: 'acct-1',
  jobId: 'j-1',
  n: 1,
  resourceUid: 'i-1',
  template: 'stop',
  approvals: 1,
  costUsd: 100,
  windows: [],
  ...fields,
})
export const grounds = (guardrail: Partial<Guardrail> = {}, fields: Partial<Grounds> = {}): Grounds => ({
  guardrail: { ...guardrailDefaults, ...guardrail },
  tags: {},
  environment: 'unknown',
  groups: [],
  ...fields,
})
/** That of another job, over since. */
export const grant = (number: number, agoMs: number, fields: Partial<Grant> = {}): Grant => ({
  jobId: `other-${number}`,
  n: 1,
  cloudAccountId: 'acct-1',
  resourceUid: `r-${number}`,
  template: 'stop',
  at: iso(now - agoMs),
  costUsd: 50,
  groups: [],
  isLive: false,
  ...fields,
})
export const grants = (count: number, agoMs: number, fields: Partial<Grant> = {}) =>
  Array.from({ length: count }, (_, i) => grant(i, agoMs, fields))

export const yes = { answer: 'yes' }
/** A resource in a group. */
export const shop = (size: number) => ({ groups: [{ id: 'g-1', name: 'Shop', size }] })
/** What a grant of it has. */
export const ofShop = { groups: ['g-1'] }
