/**
 * Environments in the committed rows around a resource: that of its parent, and of the resources that share its group
 * or network.
 */
import type { Environment } from '#streams/tagging.ts'

export interface NeighbourRow {
  /**
   * What a row is about: a parent by its uid, the asking resource by its own, a neighbourhood that is asked for, or the
   * number of resources in one with an environment.
   */
  what: 'parent' | 'own' | 'asked' | 'place'
  org_id: string
  account: string
  uid: string
  /** A neighbourhood. */
  place: string
  /** Empty for resources without evidence. */
  env: Environment | ''
  resources: number
}

export interface NeighbourKey {
  orgId: string
  account: string
  uid: string
}

/** Percent of the others in the neighbourhood that must have the same environment. */
const shareMin = 80

/** The environment shared by the others of a neighbourhood, from their number by environment; empty for none. */
export function sharedEnv(others: ReadonlyMap<Environment | '', number>): Environment | '' {
  const total = others.values().reduce((sum, resources) => sum + resources, 0)
  for (const [env, resources] of others)
    if (env !== '' && resources > 0 && resources * 100 >= shareMin * total) return env
  return ''
}

const keyOf = (...parts: readonly string[]): string => parts.join('\0')

export class Neighbours {
  private readonly parents = new Map<string, Environment | ''>()
  private readonly own = new Map<string, { place: string; env: Environment | '' }>()
  private readonly places = new Map<string, Map<Environment | '', number>>()
  private readonly asked = new Set<string>()

  constructor(rows: readonly NeighbourRow[]) {
    for (const { what, org_id: org, account, uid, place, env, resources } of rows) {
      if (what === 'parent') this.parents.set(keyOf(org, account, uid), env)
      else if (what === 'asked') this.asked.add(keyOf(org, account, place))
      else if (what === 'own') this.own.set(keyOf(org, account, uid), { place, env })
      else if (what === 'place') {
        const key = keyOf(org, account, place)
        this.places.set(key, (this.places.get(key) ?? new Map<Environment | '', number>()).set(env, resources))
      }
    }
  }

  /** Undefined if the parent does not exist. */
  parentEnv(orgId: string, account: string, parentUid: string): Environment | '' | undefined {
    return this.parents.get(keyOf(orgId, account, parentUid))
  }

  /** Whether the environment of a neighbourhood was requested. */
  isAsked({ orgId, account }: Omit<NeighbourKey, 'uid'>, place: string): boolean {
    return this.asked.has(keyOf(orgId, account, place))
  }

  /** The environment of the neighbourhood without the asking resource; undefined if nobody is in it. */
  topologyEnv({ orgId, account, uid }: NeighbourKey, place: string): Environment | '' | undefined {
    const all = this.places.get(keyOf(orgId, account, place))
    if (!all) return undefined
    const counts = new Map(all)
    const own = this.own.get(keyOf(orgId, account, uid))
    if (own?.place === place) counts.set(own.env, (counts.get(own.env) ?? 0) - 1)
    return sharedEnv(counts)
  }
}
