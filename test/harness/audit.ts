/** The audit actor in memory: what its turns go by is what the test says. */
import type { AuditNeeds } from '#actors/recommendation/audit/needs.ts'
import type { ResourceAudit } from '#actors/recommendation/audit/entity.ts'
import { auditActor } from '#actors/recommendation/audit/audit.ts'
import { governanceDefaults, type GovernanceSpec } from '#actors/recommendation/policy/governance.ts'
import { compileOverrides } from '#actors/recommendation/policy/override.ts'
import type { RuleSpec } from '#actors/recommendation/policy/policy.ts'
import type { References } from '#actors/recommendation/rule/contract.ts'
import type { Static } from '#engine/value/schema.ts'
import { factsGathered, recommendationSettled, type RecommendationStatus } from '#streams/recommendation.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { MemoryActor, type Delivery, type Done } from '#test/harness/turn.ts'

export type Discovered = Static<typeof resourceDiscovered.schema>
export type Gathered = Static<typeof factsGathered.schema>

/** Tables that know nothing. */
export const noReferences: References = {
  version: '0',
  fact: () => undefined,
  fit: () => undefined,
  lookup: () => undefined,
  price: () => undefined,
  tierRates: () => undefined,
}

/** What the organization has set; raise `version` with a change. */
export interface OrganizationNow {
  governance: Partial<GovernanceSpec>
  rules: RuleSpec[]
  version: string
  references: References
}

export const organizationNow = (own: Partial<OrganizationNow> = {}): OrganizationNow => ({
  governance: {},
  rules: [],
  version: '1',
  references: noReferences,
  ...own,
})

export const needsOf = ({ governance, rules, version, references }: OrganizationNow): AuditNeeds => ({
  organization: () => ({
    governance: { ...governanceDefaults, ...governance },
    overrides: compileOverrides(
      rules.map((spec, n) => ({ id: `p-${n}`, name: `p ${n}`, spec, createdAt: new Date(n) })),
    ),
    version,
  }),
  references: () => references,
  faulty: (ruleId, error) => {
    throw new Error(`${ruleId} failed`, { cause: error })
  },
})

/** One resource, `r-1` of `acct-1`: an EBS volume of 100 GB unless said otherwise. */
export class AuditedVolume extends MemoryActor<ResourceAudit> {
  org: OrganizationNow

  constructor(org: OrganizationNow = organizationNow(), uid = 'r-1') {
    super(auditActor, { key: uid })
    this.org = org
  }

  discover(more: Partial<Discovered> = {}, delivery: Delivery = {}): Done {
    const data: Discovered = {
      resourceUid: 'r-1',
      name: 'scratch',
      type: 'aws-ebs-volume',
      provider: 'aws',
      cloudAccountId: 'acct-1',
      region: 'us-east-1',
      status: 'running',
      instanceType: 'gp3',
      sizeGB: 100,
      ...more,
    }
    return this.take(resourceDiscovered, data, { needs: needsOf(this.org), ...delivery })
  }

  gather(facts: Record<string, unknown>, more: Partial<Gathered> = {}, delivery: Delivery = {}): Done {
    const at = new Date(delivery.at ?? this.now + 1000).toISOString()
    const fixed = { cloudAccountId: 'acct-1', resourceUid: 'r-1', runId: 'run-1', measured: {}, orgSpendUsd: 20_000 }
    return this.take(factsGathered, { ...fixed, at, facts, ...more }, { needs: needsOf(this.org), ...delivery })
  }

  delete(delivery: Delivery = {}): Done {
    const data = { resourceUid: 'r-1', provider: 'aws' as const, cloudAccountId: 'acct-1' }
    return this.take(resourceDeleted, data, { needs: needsOf(this.org), ...delivery })
  }

  settle(ruleId: string, status: RecommendationStatus, n: number): Done {
    const data = { cloudAccountId: 'acct-1', resourceUid: 'r-1', ruleId, status, n }
    return this.take(recommendationSettled, data, { needs: needsOf(this.org) })
  }
}

/** What was told of findings: the rule and what it saves, or why it ended. */
export const told = ({ emitted }: Done): unknown[] =>
  emitted
    .filter(({ type }) => type === 'finding.raised' || type === 'finding.ended')
    .map(({ data }) => (data.finding ? [data.finding.ruleId, data.finding.savingsUsd] : data.why))
