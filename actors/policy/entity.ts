import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'

const policy = defineEntity({
  name: 'Policy',
  tableName: 'policy',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID. */
    id: p.text().primary(),
    /** One of the domains that `actors/index.ts` knows, or that a newer version did. */
    domain: p.text(),
    targetType: p.text(),
    targetId: p.text().nullable(),
    /** 1 to 100 characters; one policy of a domain has it, whatever its case. */
    name: p.text(),
    /** As it was given; its domain says what stands in it. */
    spec: p.json<unknown>(),
    enabled: p.boolean(),
    /** 1, and one more with each change. */
    version: p.integer(),
    /** That of the organization's policies of this domain since its last change. */
    setVersion: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    {
      name: 'policy_name',
      expression: 'create unique index "policy_name" on "policy" ("org_id", "domain", lower("name"))',
    },
  ],
})

/** What an organization wants done by rule. Written only by actors/policy/change.ts. */
export class Policy extends policy.class {}
policy.setClass(Policy)

const set = defineEntity({
  name: 'PolicySet',
  tableName: 'policy_set',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    domain: p.text().primary(),
    /** One more with each change of any policy of the domain. */
    version: p.integer(),
  },
})

/** Which state the policies of a domain are in: what was worked out by them knows it. Written only by actors/policy/change.ts. */
export class PolicySet extends set.class {}
set.setClass(PolicySet)
