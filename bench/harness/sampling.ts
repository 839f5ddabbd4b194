/** Samples by the product's own engine, of targets that have autoscaler policies and of targets that have none. */
import { randomUUID } from 'node:crypto'
import { actors } from '#actors/index.ts'
import type { Event } from '#engine/run/publisher.ts'
import { metricSample } from '#streams/metric/messages.ts'
import type { Connections } from '#config/state/connect.ts'
import { plantedPolicies } from '#test/harness/autoscaler-row.ts'
import { worked } from './discovering.ts'
import { quantile, type Stage } from './stage.ts'
import { account, publish, type Workload } from './workload.ts'

interface Sampling {
  /** Messages of one sample each, a minute apart where a resource has several. */
  rows: number
  resources: number
  /** Of so many resources, evenly. */
  policies: number
  rounds: number
  /** Whether the first sample that a policy hears, by which it comes to its recommendation, is among what is measured. */
  withFirst: boolean
}

const minuteMs = 60_000

/** CPU of many resources in turn, up to now: what is older moves no policy. */
function sampled({ rows, resources }: Sampling): Workload {
  const from = Date.now() - Math.ceil(rows / resources) * minuteMs
  const events = (orgId: string) =>
    Array.from({ length: rows }, (_, i) => {
      const ts = new Date(from + Math.floor(i / resources) * minuteMs).toISOString()
      const sample = { metric: 'cpu_percent' as const, value: (i * 37) % 100, ts }
      const data = { resourceUid: `i-${i % resources}`, samples: [sample] }
      return { subject: metricSample, orgId, data, place: account } as unknown as Event
    })
  return { name: 'samples, 1 a message', rows, perMessage: 1, events }
}

/** What the targets of policies measured in the minute before. */
function heardBefore(asked: Sampling): Workload {
  const every = everyOf(asked)
  const ts = new Date(Date.now() - (Math.ceil(asked.rows / asked.resources) + 1) * minuteMs).toISOString()
  const events = (orgId: string) =>
    Array.from({ length: asked.policies }, (_, i) => {
      const sample = { metric: 'cpu_percent' as const, value: (i * every * 37) % 100, ts }
      const data = { resourceUid: `i-${i * every}`, samples: [sample] }
      return { subject: metricSample, orgId, data, place: account } as unknown as Event
    })
  return { name: 'first samples, 1 a message', rows: asked.policies, perMessage: 1, events }
}

const everyOf = ({ resources, policies }: Sampling): number => Math.max(1, Math.floor(resources / policies))

async function organization(connections: Connections, asked: Sampling): Promise<string> {
  const { policies } = asked
  const orgId = randomUUID()
  const every = everyOf(asked)
  const list = Array.from({ length: policies }, (_, i) => ({
    cloud_account_id: account,
    target_uid: `i-${i * every}`,
    mode: 'monitor',
    effective_mode: 'monitor',
  }))
  if (list.length > 0) await plantedPolicies({ orgId, connections }, ...list)
  return orgId
}

/** Samples a second with policies, and the rate of that without any: in turns, each first in every other round. */
export async function samplings(
  set: Stage,
  c: Connections,
  asked: Sampling,
): Promise<{ rate: number; without: number; ratio: number }> {
  const ways = { policies: asked.policies, none: 0 }
  const seconds = { policies: [] as number[], none: [] as number[] }
  for (let round = -1; round < asked.rounds; round++)
    for (const way of round % 2 === 0 ? (['policies', 'none'] as const) : (['none', 'policies'] as const)) {
      const work = sampled(asked)
      const orgId = await organization(c, { ...asked, policies: ways[way] })
      if (!asked.withFirst && ways[way] > 0) await worked(set, await publish(c, heardBefore(asked), orgId), actors)
      const took = await worked(set, await publish(c, work, orgId), actors)
      if (round >= 0) seconds[way].push(took)
    }
  return {
    rate: asked.rows / quantile(seconds.policies, 0.5),
    without: asked.rows / quantile(seconds.none, 0.5),
    ratio: quantile(
      seconds.policies.map((one, i) => seconds.none[i]! / one),
      0.5,
    ),
  }
}
