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
    /** A domain in `actors/index.ts`, or one of a newer version. */
    domain: p.text(),
    targetType: p.text(),
    targetId: p.text().nullable(),
    /** 1 to 100 characters; unique in the domain, ignoring case. */
    name: p.text(),
    /** As given; its domain defines the content. */
    spec: p.json<unknown>(),
    enabled: p.boolean(),
    /** Starts at 1 and increases with each change. */
    version: p.integer(),
    /** The version of the organization's policy set of this domain at the last change of this policy. */
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

/** A rule of an organization. Written only by actors/policy/change.ts. */
export class Policy extends policy.class {}
policy.setClass(Policy)

const set = defineEntity({
  name: 'PolicySet',
  tableName: 'policy_set',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    domain: p.text().primary(),
    /** Increases with each change of any policy of the domain. */
    version: p.integer(),
  },
})

/** The version of all policies of a domain, which derived results store. Written only by actors/policy/change.ts. */
export class PolicySet extends set.class {}
set.setClass(PolicySet)
