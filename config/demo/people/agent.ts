/**
 * A read-only agent of the demo organization. It asks once which service's costs rose most last month, and for the bill
 * lines behind that.
 */
import type { EntityManager } from '@mikro-orm/postgresql'
import { dayMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { within, type Within } from '#http/edge/inner-request.ts'
import { recordEvent } from '#http/identity/organization/audit.ts'
import { PersonalAccessToken } from '#http/identity/entity.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { demoOwner } from './owner.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

const name = 'agent'
const client = { ip: '', userAgent: 'start', requestId: '' }
/** Milliseconds between tries if a store is unavailable. */
const pauseMs = 1000

/**
 * Call after the bills of two months are in. Does nothing if the owner is gone, or the agent's token was used or
 * revoked.
 */
export async function askAsAgent({ connections, product }: Running, orgId: string): Promise<void> {
  const ownerId = await demoOwner(connections, orgId)
  if (ownerId === undefined) return
  const now = new Date(connections.clock.now())
  const secret = await connections.orm.em.fork().transactional((em) => freshToken(em, orgId, ownerId, now))
  if (secret === undefined) return
  const edge = within(() => product.get(tokens.edge))
  const ask = <T>(tool: string, given: object): Promise<T> =>
    callTool<T>(edge, secret, tool, given).catch(async (error: unknown) => {
      await connections.clock.sleep(pauseMs)
      throw error
    })
  await patiently(async () => {
    const days = monthBefore(now)
    const { dimensions } = await ask<Drivers>('get_cost_drivers', { ...days, limit: 1 })
    const [risen] = dimensions.find(({ dimension }) => dimension === 'service_name')?.rises ?? []
    if (risen) await ask('get_cost_receipt', { ...days, 'filter[service_name]': [risen.key], limit: 10 })
  })
}

interface Drivers {
  dimensions: readonly { dimension: string; rises: readonly { key: string }[] }[]
}

/**
 * The secret of the agent's token; undefined if the agent has already asked. An unused token of an interrupted start is
 * replaced, because its secret is lost.
 */
async function freshToken(em: EntityManager, orgId: string, userId: string, now: Date): Promise<string | undefined> {
  const id = uuidOf('demo', orgId, 'agent')
  const made = await em.findOne(PersonalAccessToken, { orgId, id })
  if (made?.lastUsedAt || made?.revokedAt) return undefined
  if (made) await em.remove(made).flush()
  const { secret } = await createToken(em, orgId, { id, role: 'viewer', name, userId }, now)
  const happened = { id: uuidOf('demo', orgId, 'agent', 'created'), type: 'token_created', orgId, userId } as const
  await recordEvent(
    em,
    { ...happened, principal: 'operator', detail: { tokenID: id, name, role: 'viewer' } },
    client,
    now,
  )
  return secret
}

/** The first and last day of the last complete month. */
function monthBefore(now: Date): { from: string; to: string } {
  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - dayMs)
  const to = last.toISOString().slice(0, 10)
  return { from: `${to.slice(0, 8)}01`, to }
}

/** Calls a tool and returns its data. @throws Fault `transient` if the call can be repeated */
async function callTool<T>(edge: Within, secret: string, tool: string, given: object): Promise<T> {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: given } }
  const headers = {
    authorization: `Bearer ${secret}`,
    accept: 'application/json, text/event-stream',
    'user-agent': 'demo agent',
  }
  const asked = { method: 'POST', url: '/mcp', body: JSON.stringify(message) }
  const { status, text } = await edge(asked, { ip: '127.0.0.1', headers })
  const said = status === 200 ? (JSON.parse(text) as ToolReply).result : undefined
  const problem = said?.isError === true ? (JSON.parse(said.content[0]!.text) as { status: number }) : { status }
  if (said && problem.status === 200) return (JSON.parse(said.content[0]!.text) as { data: T }).data
  const isPutOff = problem.status === 429 || problem.status === 503
  const why = `The demo agent received ${problem.status} from ${tool}.`
  throw isPutOff ? Fault.transient('unavailable', why) : new Error(why)
}

interface ToolReply {
  result?: { isError?: boolean; content: readonly { text: string }[] }
}
