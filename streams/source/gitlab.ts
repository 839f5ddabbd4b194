/**
 * Webhooks of GitLab: signed according to Standard Webhooks, or with the secret itself in a header. Pushes are read.
 */
import { createHmac } from 'node:crypto'
import { decoder, t } from '#engine/value/schema.ts'
import {
  branchOf,
  headerOf,
  isNoCommit,
  isSame,
  nothing,
  readAs,
  type Headers,
  type SourceReader,
} from '#streams/source/event.ts'
import { text } from '#streams/text.ts'

/** Maximum age of a signed delivery in seconds, in both directions. */
const windowSeconds = 5 * 60

const Push = decoder(
  t.Object({
    ref: text({ minLength: 1, maxLength: 1100 }),
    after: text({ pattern: '^[0-9a-f]{40,64}$' }),
    project: t.Object({ git_http_url: text({ minLength: 1 }) }),
  }),
)

/** The part after `whsec_` is a key in base64; other secrets are the key itself. */
const keyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)

export const gitlabSignature = (secret: string, id: string, timestamp: string, raw: Buffer): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(raw).digest('base64')}`

/** HMAC-SHA256 in base64. */
const signatureShape = /^v1,[A-Za-z0-9+/]{43}=$/

interface Claim {
  id: string
  timestamp: string
  signatures: string[]
}

/**
 * The signatures in the headers; undefined if there are none or they are too old. There are several while a key is
 * being replaced.
 */
function claimOf(headers: Headers, now: Date): Claim | undefined {
  const [id = '', timestamp = ''] = [headerOf(headers, 'webhook-id'), headerOf(headers, 'webhook-timestamp')]
  const ageSeconds = Math.abs(now.getTime() / 1000 - Number(timestamp))
  if (id === '' || !/^\d{1,12}$/.test(timestamp) || ageSeconds > windowSeconds) return undefined
  const given = (headerOf(headers, 'webhook-signature') ?? '').split(' ').slice(0, 8)
  const signatures = given.filter((one) => signatureShape.test(one))
  return signatures.length === 0 ? undefined : { id, timestamp, signatures }
}

/** For deliveries without a signature: checks the secret itself, which does not protect the body. */
function isTokenKnown(headers: Headers, secrets: readonly string[]): boolean {
  const token = headerOf(headers, 'x-gitlab-token')
  return token !== undefined && secrets.map((secret) => isSame(token, secret)).includes(true)
}

function isClaimed(headers: Headers, secrets: readonly string[], now: Date): boolean {
  if (headers['webhook-signature'] === undefined) return isTokenKnown(headers, secrets)
  return claimOf(headers, now) !== undefined
}

function isSigned(headers: Headers, raw: Buffer, secrets: readonly string[], now: Date): boolean {
  if (headers['webhook-signature'] === undefined) return isTokenKnown(headers, secrets)
  const claim = claimOf(headers, now)
  if (!claim) return false
  // Once per secret, because each calculation covers the whole body.
  const right = secrets.map((secret) => gitlabSignature(secret, claim.id, claim.timestamp, raw))
  return claim.signatures.flatMap((one) => right.map((wanted) => isSame(one, wanted))).includes(true)
}

const eventHeaders = ['x-gitlab-event'] as const
const deliveryHeaders = ['webhook-id', 'idempotency-key', 'x-gitlab-event-uuid'] as const

export const gitlab: SourceReader = {
  host: 'gitlab',
  isClaimed,
  isSigned,
  needed: [eventHeaders, deliveryHeaders],
  deliveryOf: (headers) => ({
    event: headerOf(headers, ...eventHeaders) ?? '',
    deliveryId: headerOf(headers, ...deliveryHeaders) ?? '',
  }),
  read(event, payload) {
    if (event !== 'Push Hook') return nothing
    const { ref, after, project } = readAs(Push, payload)
    const branch = branchOf(ref)
    if (branch === undefined || isNoCommit(after)) return nothing
    return { kind: 'push', pushes: [{ ref, branch, commitSha: after, repositoryUrl: project.git_http_url }] }
  },
}
