/** Sends generated requests to the real product, several at once, and counts what comes back. */
import fc from 'fast-check'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { oddTexts } from '#test/fuzz/hostile.ts'
import { anyRequest, idMark, type Asked } from '#test/fuzz/request.ts'
import { fuzzSite, wrong, type Answered, type FuzzSite } from '#test/fuzz/site.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

export interface RequestOutcome {
  sent: number
  /** By status and code, `200` or `400 validation_failed`. */
  counts: Record<string, number>
  /** Milliseconds of every request of an operation. */
  ms: Map<string, number[]>
  /** Answers that are none, with what was asked; at most 20. */
  differences: string[]
}

export interface RequestPlan {
  count: number
  seed: number
  /** Stops before `count` when it is over, milliseconds. */
  msMax?: number
  tell?: (sent: number) => void
}

/** Requests of one sample, in flight at once, and after how many an organization is worn out. */
const sampleMax = 250
const flightMax = 16
const orgMax = 5000

export async function floodEdge({ count, seed, msMax = Infinity, tell }: RequestPlan): Promise<RequestOutcome> {
  const site = await fuzzSite()
  const outcome: RequestOutcome = { sent: 0, counts: {}, ms: new Map(), differences: [] }
  const end = performance.now() + msMax
  try {
    const arbitrary = anyRequest(site.document)
    let world = await seeded()
    for (let at = 0; at < count && performance.now() < end && outcome.differences.length === 0; at += sampleMax) {
      if (at > 0 && at % orgMax === 0) world = await seeded()
      const sample = fc.sample(arbitrary, { numRuns: Math.min(sampleMax, count - at), seed: seed * 31 + at })
      await each(sample, flightMax, (asked) => one(site, world, asked, `seed ${seed}, ${at}`, outcome))
      tell?.(outcome.sent)
    }
  } finally {
    await site.close()
  }
  return outcome
}

async function each<T>(list: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = list.values()
  const run = async () => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: width }, run))
}

interface World {
  org: Tenant
  /** Ids that paths may name. */
  ids: string[]
  next: number
}

/** An organization that has something of everything, under names that are hard to handle. */
async function seeded(): Promise<World> {
  const org = await tenant()
  const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
  const at = { cloudAccountId: 'acct-1', provider: 'aws' as const }
  const named = oddTexts.map((text, i) => ({
    ...at,
    resourceUid: `${text}${i}`,
    name: text,
    region: text,
    type: 'aws-ec2',
  }))
  await org.publish(resourceDiscovered, [
    ...named,
    { ...at, resourceUid: 'eks', name: '', region: '', type: 'aws-eks' },
  ])
  const lines = oddTexts.map((text, i) => ({
    ...at,
    lineId: `${day}/${i}`,
    resourceUid: `${text}${i}`,
    region: text,
    serviceName: text,
    usageDate: day,
    costUSD: i / 7,
    exportedAt: `${day}T23:00:00Z`,
  }))
  await org.publish(billingLine, lines)
  const samples = [{ metric: 'cpu_percent' as const, value: 50, ts: `${day}T10:00:00Z` }]
  await org.publish(
    metricSample,
    named.map(({ resourceUid }) => ({ resourceUid, samples })),
    { place: 'acct-1' },
  )
  const found = (await org.get('/resources?limit=100')).body.data as { id: string }[]
  return { org, ids: ['acct-1', ...found.map(({ id }) => id)], next: 0 }
}

async function one(site: FuzzSite, world: World, asked: Asked, where: string, outcome: RequestOutcome): Promise<void> {
  const id = world.ids[world.next++ % world.ids.length]!
  const authorization = `Bearer ${world.org.token}`
  const real = {
    ...asked,
    path: asked.path.replaceAll(idMark, encodeURIComponent(id)),
    headers: { authorization, ...asked.headers },
  }
  const differ = (text: string) =>
    outcome.differences.length < 20 && outcome.differences.push(`${where}: ${shown(real)} ${text}`)
  outcome.sent++
  try {
    const answer = await site.ask(real)
    count(outcome, asked, answer)
    harvest(world, asked, answer)
    const fault = wrong(real, answer)
    const requestId = String(answer.headers['x-request-id'])
    if (fault) differ(`${fault}: ${answer.text.slice(0, 300)} ${site.defects.get(requestId) ?? ''}`)
  } catch (error) {
    differ(`got no answer: ${String(error)}`)
  }
}

const shown = ({ method, path, headers, body }: Asked): string =>
  `${method} ${path.slice(0, 500)} ${JSON.stringify({ ...headers, authorization: headers['authorization']?.slice(0, 12) })} ${body?.subarray(0, 500).toString() ?? ''}`

function count(outcome: RequestOutcome, asked: Asked, { status, text, ms }: Answered): void {
  const code = status >= 400 ? /"code":"(\w+)"/.exec(text)?.[1] : undefined
  const name = code === undefined ? String(status) : `${status} ${code}`
  outcome.counts[name] = (outcome.counts[name] ?? 0) + 1
  const list = outcome.ms.get(asked.operation) ?? []
  list.push(ms)
  outcome.ms.set(asked.operation, list)
}

/** What was made can be asked for from then on. */
function harvest(world: World, { operation }: Asked, { status, text }: Answered): void {
  if (status !== 201 || !operation.startsWith('POST ') || world.ids.length > 200) return
  const { data } = JSON.parse(text) as { data?: { id?: unknown } }
  if (typeof data?.id === 'string') world.ids.push(data.id)
}
