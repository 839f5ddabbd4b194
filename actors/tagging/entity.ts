import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { Environment } from '#streams/tagging.ts'
import type { Signals } from '#actors/tagging/suggestion/predict.ts'

const schema = defineEntity({
  name: 'ResourceTagging',
  tableName: 'resource_tagging',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    cloudAccountId: p.text().primary(),
    uid: p.text().primary(),
    /** A UUID made of the three columns above: that of the suggestion. */
    id: p.uuid(),
    /** What the resource itself says, of which more is predicted with the words of its neighbours. */
    signals: p.json<Signals>(),
    /** The environment its own tag or name says: all that others are told of it. Empty for none. */
    evidenceEnv: p.text().$type<Environment | ''>(),
    parentUid: p.text(),
    /** What it shares with its neighbours: `group:<resource group>`, else `network:<network>`; empty for none. */
    neighbourhood: p.text(),
    /** Of the facts it is worked out from; empty for none. */
    factsHash: p.text().default(''),
    /** The environments that the parent and the neighbourhood said then, empty for none. */
    parentEnv: p.text().$type<Environment | ''>().default(''),
    topologyEnv: p.text().$type<Environment | ''>().default(''),
    /** Whether there is a suggestion: the seven columns below say nothing else. */
    hasPrediction: p.boolean(),
    /** Empty once accepted without it. */
    predictedEnv: p.text().$type<Environment | ''>(),
    predictedNoStop: p.boolean(),
    extraTags: p.json<Record<string, string>>(),
    /** 1 to 100. */
    confidence: p.integer(),
    reason: p.text(),
    acceptedAt: p.datetime(3).nullable(),
    rejectedAt: p.datetime(3).nullable(),
    suggestedAt: p.datetime(3).nullable(),
    /** Of the suggestion. */
    updatedAt: p.datetime(3).nullable(),
    /** By key. */
    derived: p.json<Record<string, string>>(),
    /** The policy each derived tag is by. */
    derivedBy: p.json<Record<string, string>>(),
    /** Policies whose tag was left out, as there were too many. */
    leftOut: p.json<string[]>(),
    accepted: p.json<Record<string, string>>(),
    /** Of the organization's tagging policies, when they were last applied. */
    policyVersion: p.integer(),
    /** The maps last appended for the reports. */
    shownSmart: p.json<Record<string, string>>(),
    shownAuto: p.json<Record<string, string>>(),
    /** Of the newest word that was heard, which is no echo: an older one changes nothing. And since when the resource is gone. */
    observedAt: p.datetime(3),
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['orgId', 'uid'] },
    {
      name: 'resource_tagging_place',
      expression:
        'create index "resource_tagging_place" on "resource_tagging" ("org_id", "cloud_account_id", "neighbourhood", "evidence_env") where "neighbourhood" <> \'\'',
    },
  ],
})

/** What is predicted and derived of one resource, and what people decided. Written only by the tagging actor. */
export class ResourceTagging extends schema.class {}
schema.setClass(ResourceTagging)
