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
    /** A UUID derived from the three columns above: the id of the suggestion. */
    id: p.uuid(),
    /** Evidence in the resource itself; parent and neighbours are added when predicting. */
    signals: p.json<Signals>(),
    /** The environment in its own tag or name, which is all that others use of it. Empty for none. */
    evidenceEnv: p.text().$type<Environment | ''>(),
    parentUid: p.text(),
    /** What it shares with its neighbours: `group:<resource group>`, otherwise `network:<network>`; empty for none. */
    neighbourhood: p.text(),
    /** Hash of the facts that it was computed from; empty for none. */
    factsHash: p.text().default(''),
    /** Environments of the parent, and below of the neighbourhood, at that time; empty for none. */
    parentEnv: p.text().$type<Environment | ''>().default(''),
    topologyEnv: p.text().$type<Environment | ''>().default(''),
    /** Whether there is a suggestion; without one the seven columns below are meaningless. */
    hasPrediction: p.boolean(),
    /** Empty if the suggestion was accepted without it. */
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
    /** The policy of each derived tag. */
    derivedBy: p.json<Record<string, string>>(),
    /** Policies whose tag was left out because there were too many. */
    leftOut: p.json<string[]>(),
    accepted: p.json<Record<string, string>>(),
    /** Version of the organization's tagging policies when they were last applied. */
    policyVersion: p.integer(),
    /** Tags last published for the reports. */
    shownSmart: p.json<Record<string, string>>(),
    shownAuto: p.json<Record<string, string>>(),
    /**
     * Time of the newest observation that was not an echo: older ones are ignored. Below: since when the resource is
     * deleted.
     */
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

/** Predicted and derived tags of one resource, and people's decisions. Written only by the tagging actor. */
export class ResourceTagging extends schema.class {}
schema.setClass(ResourceTagging)
