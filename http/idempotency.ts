/**
 * A POST that is repeated under its Idempotency-Key is carried out once (decision G-09): the first answer is kept for 24 hours
 * per (organization, caller, path, key) and given again. Answers of 500 and above are not kept: those may be tried again.
 */
import { createHash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { Fault, type FaultKind } from '#engine/fault.ts'
import { IdempotentAnswer } from '#http/identity/record-entity.ts'
import { badInput } from '#http/problem.ts'
import { Reply } from '#http/route.ts'
import { asService } from '#http/tenant.ts'

export interface Keyed {
  orgId: string
  principal: string
  /** Method, path and query. */
  route: string
  key: string
  /** What was asked. */
  body: unknown
}

export interface IdempotencyTools {
  em: () => EntityManager
  now: () => Date
  seal: (secret: unknown) => string
  open: (sealed: string) => unknown
}

type Kept =
  | { payload: unknown; headers: Readonly<Record<string, string>>; status: number | undefined }
  | { fault: { kind: FaultKind; code: string; message: string; detail: Fault['detail'] } }

export const keptMs = 24 * 60 * 60_000
/** The first one is given so long to end; then it counts as lost, and a repeat is carried out. */
const runningMs = 60_000
const pollMs = 50
const pollsMax = 400

const shape = /^[\x21-\x7e]{1,255}$/

/** @throws Fault `invalid` for a key that is not 1 to 255 visible ASCII characters */
export function checkKey(key: string): string {
  if (shape.test(key)) return key
  throw badInput({
    in: 'header',
    name: 'Idempotency-Key',
    code: 'format',
    message: 'must be 1 to 255 visible ASCII characters',
  })
}

/** Runs `work` unless it has run for this key. @throws Fault `refused` `idempotency_mismatch` when something else was asked */
export async function once(
  tools: IdempotencyTools,
  asked: Keyed,
  work: () => Promise<unknown>,
): Promise<Reply<unknown>> {
  // An address may be longer than what an index holds.
  const { body, route, ...rest } = asked
  const id = { ...rest, route: digest(route) }
  const requestHash = digest(JSON.stringify(body) ?? '')
  for (let polls = 0; ; polls++) {
    const before = await asService(() => claim(tools, id, requestHash))
    if (before instanceof Date) return first(tools, { ...id, startedAt: before }, work)
    if (before.requestHash !== requestHash) {
      throw Fault.refused('idempotency_mismatch', 'This Idempotency-Key was used for another request.')
    }
    if (before.sealed) return again(tools.open(before.sealed) as Kept)
    if (polls >= pollsMax) throw Fault.transient('unavailable', 'The first request under this key still runs.')
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

type Id = Omit<Keyed, 'body'>

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The time when nobody had it, and it is ours now. */
async function claim(tools: IdempotencyTools, id: Id, requestHash: string): Promise<IdempotentAnswer | Date> {
  const now = tools.now().getTime()
  const at = (ms: number) => new Date(now - ms).toISOString()
  const em = tools.em()
  const rows = await em.execute<object[]>(
    `insert into idempotent_answer as a (org_id, principal, route, key, request_hash, started_at) values (?, ?, ?, ?, ?, ?)
     on conflict (org_id, principal, route, key) do update
       set request_hash = excluded.request_hash, started_at = excluded.started_at, status = null, sealed = null
       where a.started_at <= ? or a.status is null and a.started_at <= ?
     returning org_id`,
    [id.orgId, id.principal, id.route, id.key, requestHash, at(0), at(keptMs), at(runningMs)],
  )
  if (rows.length > 0) return new Date(now)
  return (await em.findOne(IdempotentAnswer, id)) ?? claim(tools, id, requestHash)
}

/** One that counted as lost and ends after all changes nothing: the answer of the one that took its place stands. */
type Claim = Id & { startedAt: Date }

async function first(tools: IdempotencyTools, id: Claim, work: () => Promise<unknown>): Promise<Reply<unknown>> {
  try {
    const answer = await work()
    const { payload, headers, status } = answer instanceof Reply ? answer : new Reply(answer, {})
    await keep(tools, id, 200, { payload, headers, status })
    return new Reply(payload, { headers, ...(status !== undefined && { status }) })
  } catch (error) {
    const fault = Fault.from(error)
    const { kind, code, message, detail } = fault
    if (fault.retryable) await asService(() => tools.em().nativeDelete(IdempotentAnswer, id))
    else await keep(tools, id, 400, { fault: { kind, code, message, detail } })
    throw error
  }
}

const keep = ({ em, seal }: IdempotencyTools, id: Claim, status: number, kept: Kept): Promise<number> =>
  asService(() => em().nativeUpdate(IdempotentAnswer, id, { status, sealed: seal(kept) }))

function again(kept: Kept): Reply<unknown> {
  if ('fault' in kept) {
    const { kind, code, message, detail } = kept.fault
    throw new Fault(kind, code, message, { ...detail, replayed: true })
  }
  const headers = { ...kept.headers, 'Idempotency-Replayed': 'true' }
  return new Reply(kept.payload, { headers, ...(kept.status !== undefined && { status: kept.status }) })
}
