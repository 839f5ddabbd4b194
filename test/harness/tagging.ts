/** The tagging actor in memory: what its turns go by is what the test says. */
import { taggingActor } from '#actors/tagging/actor.ts'
import { compileRules } from '#actors/tagging/policy/derive.ts'
import type { ResourceTagging } from '#actors/tagging/entity.ts'
import { Neighbours, type NeighbourRow } from '#actors/tagging/suggestion/neighbours.ts'
import type { TaggingNeeds } from '#actors/tagging/needs.ts'
import type { ValueField } from '#actors/tagging/policy/policy.ts'
import { teamSlug } from '#actors/tagging/suggestion/predict.ts'
import type { SelectorCondition } from '#actors/policy/selector.ts'
import type { Static } from '#engine/value/schema.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { smartTagDecided, suggestionDecided } from '#streams/tagging.ts'
import { MemoryActor, type Delivery, type Done } from '#test/harness/turn.ts'

export type Discovered = Static<typeof resourceDiscovered.schema>

/** A policy as it is stored: what it makes of `fields`, joined by `-` and in lower case. */
export const policyOf = (
  id: string,
  key: string,
  fields: readonly ValueField[],
  more: { all?: SelectorCondition[]; standardize?: boolean; join?: string } = {},
) => {
  const { all, standardize = true, join = '-' } = more
  return {
    id,
    spec: { ...(all && { selector: { all } }), tag: { key, value: { fields: [...fields], join, standardize } } },
  }
}

/** What the organization has; its version is raised by whoever changes its policies. */
export interface OrganizationNow {
  policies: { id: string; spec: unknown }[]
  policyVersion: number
  isAllocated: boolean
  teams: string[]
  neighbours: NeighbourRow[]
}

export const organization = (own: Partial<OrganizationNow> = {}): OrganizationNow => ({
  policies: [],
  policyVersion: 0,
  isAllocated: false,
  teams: [],
  neighbours: [],
  ...own,
})

export const needsOf = (org: OrganizationNow): TaggingNeeds => ({
  organization: () => ({
    policyVersion: org.policyVersion,
    rules: compileRules(org.policies),
    isAllocated: org.isAllocated,
    teamNames: new Map(org.teams.map((name) => [teamSlug(name), name])),
    teamsAt: 0,
  }),
  neighbours: new Neighbours(org.neighbours),
})

/** One resource, `i-1` of `acct-1` unless said otherwise. */
export class TaggedResource extends MemoryActor<ResourceTagging> {
  readonly org: OrganizationNow

  constructor(org: OrganizationNow = organization(), orgId = 'o1', uid = 'i-1') {
    super(taggingActor as never, { orgId, key: uid })
    this.org = org
  }

  private get at() {
    return { cloudAccountId: this.address.place, resourceUid: this.address.key }
  }

  discovered(fields: Partial<Discovered> = {}): Discovered {
    return { ...this.at, name: 'web', type: 'aws-ec2', provider: 'aws', region: 'us-east-1', ...fields }
  }
  discover(fields: Partial<Discovered> = {}, delivery: Delivery = {}): Done {
    return this.take(resourceDiscovered, this.discovered(fields), { needs: needsOf(this.org), ...delivery })
  }
  delete(delivery: Delivery = {}, refreshId?: string): Done {
    const gone = { ...this.at, provider: 'aws' as const, ...(refreshId !== undefined && { refreshId }) }
    return this.take(resourceDeleted, gone, { needs: needsOf(this.org), ...delivery })
  }
  decide(decision: Omit<Static<typeof suggestionDecided.schema>, 'cloudAccountId' | 'resourceUid' | 'userId'>): Done {
    return this.take(suggestionDecided, { ...this.at, userId: 'u-1', ...decision }, { needs: needsOf(this.org) })
  }
  smart(decision: Partial<Static<typeof smartTagDecided.schema>>): Done {
    const all = { ...this.at, userId: 'u-1', accepted: true, keys: [], ...decision }
    return this.take(smartTagDecided, all, { needs: needsOf(this.org) })
  }
}
