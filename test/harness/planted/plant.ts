/** Plants every kind of cause so many times, and counts how often the product names it. */
import type { ClickHouseClient } from '@clickhouse/client'
import { findAnomalies } from '#actors/anomaly/detect.ts'
import { detectTools } from '#test/harness/detection.ts'
import { accountCauses, broadCauses, memberCauses, plantDimension } from './dimension.ts'
import { plantResources, resourceCauses } from './resource.ts'
import { analysed, dice, World, type Planted } from './world.ts'

export interface Named {
  kind: string
  planted: number
  right: number
  /** What was said instead, each with what was planted. */
  wrong: readonly string[]
}

export interface Wanted {
  /** Of the organizations, which must be fresh. */
  prefix: string
  seed: string
  /** Of each kind. */
  count: number
  /** Of each kind that takes a whole organization or account. */
  whole: number
}

/** Few: the rollup works by account and day. */
const accounts = ['acct-a', 'acct-b', 'acct-c'] as const

/** One organization with `count` of each kind that resources, accounts, groups and teams can show, apart from one another. */
function sharedWorld({ prefix, seed, count, whole }: Wanted): World {
  const world = new World(prefix)
  for (const kind of Object.keys(resourceCauses)) plantResources(world, dice(`${seed}/${kind}`), kind, count)
  for (const [kind, plant] of Object.entries({ ...broadCauses, ...accountCauses }))
    for (let i = 0; i < (kind in accountCauses ? count : whole); i++) {
      const key = `${kind.replaceAll(' ', '-')}-account-${i}`
      const at = { type: 'cloud_account', key, accounts: [key, key, key] } as const
      plantDimension(world, dice(`${seed}/account/${kind}/${i}`), `${kind} (account)`, plant, at)
    }
  for (const [kind, plant] of Object.entries(memberCauses))
    for (let i = 0; i < count; i++) {
      const type = i % 2 === 0 ? 'team' : 'resource_group'
      const key = `${kind.replaceAll(' ', '-')}-${type}-${i}`
      const name = `${kind} (${type === 'team' ? 'team' : 'group'})`
      plantDimension(world, dice(`${seed}/${kind}/${i}`), name, plant, { type, key, accounts })
    }
  return world
}

function ownWorlds({ prefix, seed, whole }: Wanted): World[] {
  return Object.entries(broadCauses).flatMap(([kind, plant]) =>
    Array.from({ length: whole }, (_, i) => {
      const key = `${prefix}-${kind.replaceAll(' ', '-')}-${i}`
      const world = new World(key)
      const at = { type: 'org', key, accounts } as const
      plantDimension(world, dice(`${seed}/org/${kind}/${i}`), `${kind} (organization)`, plant, at)
      return world
    }),
  )
}

export async function namedRight(ch: ClickHouseClient, wanted: Wanted): Promise<Named[]> {
  const worlds = [sharedWorld(wanted), ...ownWorlds(wanted)]
  await World.write(ch, worlds)
  const said = new Map<string, string>()
  for (const { orgId } of worlds)
    for (const { type, key, rootCause } of await findAnomalies(detectTools(ch), orgId, analysed, 'daily'))
      said.set(`${orgId}|${type}|${key}`, rootCause)
  const kinds = Map.groupBy(
    worlds.flatMap(({ planted }) => planted),
    ({ kind }) => kind,
  )
  return [...kinds].map(([kind, planted]) => {
    const answers = planted.map((one) => ({ ...one, said: said.get(idOf(one)) ?? 'nothing' }))
    const wrong = answers.filter((one) => !one.said.startsWith(one.begins))
    return {
      kind,
      planted: planted.length,
      right: planted.length - wrong.length,
      wrong: wrong.map((one) => `${one.key}: planted ${one.begins}said ${one.said}`),
    }
  })
}

const idOf = ({ orgId, type, key }: Planted): string => `${orgId}|${type}|${key}`
