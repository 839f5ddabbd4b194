/**
 * A POST repeated with its Idempotency-Key is executed once (decision G-09): the first response is kept for 24 hours
 * per (organization, caller, path, key) and returned again. Responses with 429, and with 500 and above, are not kept,
 * so those requests can be retried.
 * For a response above 64 KiB, and for the oldest ones once an organization has too many, only the fact is kept: a
 * repeat is refused and not executed again.
 * A handler that changes rows stores its response in the same transaction (`http/store/keyed-transaction.ts`). Commands to actors
 * have ids derived from the key, so a repeat of a lost request gets the original replies.
 */
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault, type FaultKind } from '#engine/value/fault.ts'
import type { Open, Seal } from '#engine/seal.ts'
import type { AnswerQuota } from '#http/edge/answer-quota.ts'
import { answerSealed } from '#http/identity/sealed-columns.ts'
import { IdempotentAnswer } from '#http/identity/organization/record-entity.ts'
import { underKey, type Running } from '#http/store/keyed-transaction.ts'
import { badInput, statusOf } from '#http/edge/problem.ts'
import { Reply } from '#http/store/reply.ts'
import { asService } from '#http/store/tenant.ts'

export interface KeyedRequest {
  orgId: string
  principal: string
  /** Method, path and query. */
  route: string
  key: string
  /** The request. */
  body: unknown
}

export interface IdempotencyTools {
  em: () => EntityManager
  now: () => Date
  seal: Seal
  open: Open
  /** Without it there is no limit per organization. */
  room?: AnswerQuota
  /** Called after the handler has finished and before the response is sent; a test may end the process here. */
  carriedOut?: () => void
}

type StoredAnswer =
  | { payload: unknown; headers: Readonly<Record<string, string>>; status: number | undefined }
  | { fault: { kind: FaultKind; code: string; message: string; detail: Fault['detail'] } }
  /** A response was sent, but its content is no longer kept. */
  | { dropped: { status?: number; location?: string } }

/** Maximum JSON of a kept response, bytes. */
const bytesMax = 64 * 1024

const keptMs = 24 * 60 * 60_000
/** How long the first request may run; then it counts as lost, and a repeat is executed. */
const runningMs = 60_000
const pollMs = 50
const pollsMax = 400

const shape = /^[\x21-\x7e]{1,255}$/

/** @throws Fault `invalid` if a key does not have 1 to 255 visible ASCII characters */
export function checkKey(key: string): string {
  if (shape.test(key)) return key
  throw badInput({
    in: 'header',
    name: 'Idempotency-Key',
    code: 'format',
    message: 'must be 1 to 255 visible ASCII characters',
  })
}

/**
 * Runs `work` unless it has already run for this key. It gets a name that this request shares only with its repeats.
 * @throws Fault `refused` `idempotency_mismatch` if the request is different
 */
export async function oncePerKey(
  tools: IdempotencyTools,
  asked: KeyedRequest,
  work: (name: string) => Promise<unknown>,
): Promise<Reply<unknown>> {
  // An address may be longer than an index allows.
  const { body, route, ...rest } = asked
  const id = { ...rest, route: digest(route) }
  const requestHash = digest(JSON.stringify(body) ?? '')
  for (let polls = 0; ; polls++) {
    const before = await asService(() => claim(tools, id, requestHash))
    if (!(before instanceof IdempotentAnswer)) return first(tools, before, work)
    if (before.requestHash !== requestHash) {
      throw Fault.refused('idempotency_mismatch', 'This Idempotency-Key was already used for a different request.')
    }
    if (before.sealed)
      return again(tools.open(answerSealed, id.orgId, before.sealed) as StoredAnswer, before.status === done)
    if (polls >= pollsMax)
      throw Fault.transient('unavailable', 'The first request with this Idempotency-Key is still running.')
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

type Id = Omit<KeyedRequest, 'body'>

/** A row claimed by this request. */
interface Claim {
  where: Id & { startedAt: Date; status: null }
  name: string
  /** Whether this key is new, as opposed to lost or failed before. */
  isNew: boolean
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Statuses of a row: executed; refused; failed on our side, so that the next request need not wait. */
const [done, refused, failed] = [200, 400, 500] as const

// A repeat of a lost or failed request has the same name, so that its commands to actors get the original replies.
const claimSql = `
  insert into idempotent_answer as a (org_id, principal, route, key, request_hash, started_at) values (?, ?, ?, ?, ?, ?)
  on conflict (org_id, principal, route, key) do update
    set request_hash = excluded.request_hash, started_at = excluded.started_at, status = null, sealed = null,
        name = case when a.started_at > ? and a.request_hash = excluded.request_hash then a.name else excluded.name end
    where a.started_at <= ? or a.sealed is null and (a.started_at <= ? or a.status = ${failed})
  returning name, xmax = 0 as is_new`

/** Succeeds if no other request has the row. */
async function claim(tools: IdempotencyTools, id: Id, requestHash: string): Promise<IdempotentAnswer | Claim> {
  const now = tools.now().getTime()
  const at = (ms: number) => new Date(now - ms).toISOString()
  const em = tools.em()
  const values = [id.orgId, id.principal, id.route, id.key, requestHash, at(0), at(keptMs), at(keptMs), at(runningMs)]
  const [row] = await em.execute<{ name: string; is_new: boolean }[]>(claimSql, values)
  if (row) return { where: { ...id, startedAt: new Date(now), status: null }, name: row.name, isNew: row.is_new }
  return (await em.findOne(IdempotentAnswer, id)) ?? claim(tools, id, requestHash)
}

async function first(
  tools: IdempotencyTools,
  claimed: Claim,
  work: (name: string) => Promise<unknown>,
): Promise<Reply<unknown>> {
  const { orgId } = claimed.where
  // A lost or failed request already has room, and its name must stay.
  if (claimed.isNew) await makeRoom(tools, claimed)
  let bytes = 0
  const sealed = (kept: StoredAnswer) => {
    const text = tools.seal(answerSealed, orgId, short(kept))
    bytes = text.length
    return text
  }
  const running: Running = {
    keep: async (em, { payload, headers, status }) =>
      (await keep(em, claimed, done, sealed({ payload, headers, status }))) === 1,
    isKept: false,
  }
  try {
    const answer = await underKey(running, () => work(claimed.name))
    tools.carriedOut?.()
    const made = answer instanceof Reply ? answer : new Reply(answer, {})
    // A request that counted as lost and finishes later changes nothing: the response of its repeat stays.
    if (!running.isKept) await asService(() => running.keep(tools.em(), made))
    return made
  } catch (error) {
    const fault = Fault.from(error)
    const { kind, code, message, detail } = fault
    const mayPass = fault.retryable || statusOf(fault) === 429
    const text = mayPass ? null : sealed({ fault: { kind, code, message, detail } })
    await asService(() => keep(tools.em(), claimed, mayPass ? failed : refused, text))
    throw error
  } finally {
    tools.room?.add(claimed.where, bytes)
  }
}

/** @throws Fault `invalid` `too_many_keys`; the request is then deleted */
async function makeRoom(tools: IdempotencyTools, { where }: Claim): Promise<void> {
  try {
    await tools.room?.take(where, () => tools.seal(answerSealed, where.orgId, { dropped: {} } satisfies StoredAnswer))
  } catch (error) {
    await asService(() => tools.em().nativeDelete(IdempotentAnswer, where))
    throw error
  }
}

/** The parts of a response that are kept. */
function short(kept: StoredAnswer): StoredAnswer {
  if (Buffer.byteLength(JSON.stringify(kept)) <= bytesMax) return kept
  if (!('payload' in kept)) return { dropped: {} }
  const { status, headers } = kept
  const location = headers['Location']
  return { dropped: { ...(status !== undefined && { status }), ...(location !== undefined && { location }) } }
}

/** Number of rows written: none if another request has the row, or it is already answered. */
const keep = (em: EntityManager, { where }: Claim, status: number, sealed: string | null): Promise<number> =>
  em.nativeUpdate(IdempotentAnswer, where, { status, sealed })

/** @throws the first Fault again; `conflict` `answer_not_kept` */
function again(kept: StoredAnswer, isDone: boolean): Reply<unknown> {
  if ('dropped' in kept) {
    const what = isDone ? 'succeeded' : 'was rejected'
    const message = `This request ${what} and is not repeated, but its response is no longer stored. Read the current state instead.`
    throw Fault.conflict('answer_not_kept', message, {
      replayed: true,
      members: { carriedOut: isDone, ...kept.dropped },
    })
  }
  if ('fault' in kept) {
    const { kind, code, message, detail } = kept.fault
    throw new Fault(kind, code, message, { ...detail, replayed: true })
  }
  const headers = { ...kept.headers, 'Idempotency-Replayed': 'true' }
  return new Reply(kept.payload, { headers, ...(kept.status !== undefined && { status: kept.status }) })
}
