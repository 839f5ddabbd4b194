import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { RevisionStatus } from '#streams/source/messages.ts'

const deployment = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID, the namespace for ids of its revisions. */
    id: p.text().primary(),
    name: p.text(),
    spaceId: p.text(),
    /** As given. */
    repositoryUrl: p.text(),
    /** The normalized address, by which pushes are matched. */
    repositoryKey: p.text(),
    branch: p.text(),
    autoDeploy: p.boolean(),
    /** The newest revision whose build succeeded; null before the first. */
    currentRevisionId: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    { properties: ['orgId', 'createdAt', 'id'] },
    { properties: ['repositoryKey', 'createdAt'] },
    {
      name: 'deployment_pushed',
      expression: 'create index "deployment_pushed" on "deployment" ("repository_key", "branch") where "auto_deploy"',
    },
  ],
})

/** A branch of a repository that is built, and where it runs. Written only by the deployment actor. */
export class Deployment extends deployment.class {}
deployment.setClass(Deployment)

const revision = defineEntity({
  name: 'Revision',
  tableName: 'revision',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    deploymentId: p.text().primary(),
    /** UUID v5 of the delivery in the namespace of the deployment. */
    id: p.text().primary(),
    deliveryId: p.text(),
    commitSha: p.text(),
    ref: p.text(),
    /** As in the push. */
    repositoryUrl: p.text(),
    status: p.text().$type<RevisionStatus>(),
    imageRef: p.text().nullable(),
    logsUrl: p.text().nullable(),
    failureReason: p.text().nullable(),
    /** When the push was received. */
    createdAt: p.datetime(3),
    /** When it was pushed, as reported by the host; later is newer. Null if the host does not report it. */
    pushedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { properties: ['id'] },
    { properties: ['orgId', 'deploymentId', 'createdAt', 'id'] },
    {
      name: 'revision_promoted',
      expression: `create index "revision_promoted" on "revision" ("org_id", "completed_at") where "status" = 'promoted'`,
    },
  ],
})

/** One push to the branch of a deployment. Written only by the revision actor. */
export class Revision extends revision.class {}
revision.setClass(Revision)

const installation = defineEntity({
  name: 'SourceInstallation',
  tableName: 'source_installation',
  policies: [tenantPolicy],
  properties: {
    /** Empty until an organization has linked it; then no other can. */
    orgId: p.text().primary(),
    /** Number assigned by its host. */
    id: p.text().primary(),
    /** Its owner, as the host names it. */
    account: p.text(),
    heardAt: p.datetime(3),
    linkedAt: p.datetime(3).nullable(),
    /** When it was removed, which is final: hosts assign a new number to each installation. */
    goneAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['id'] }],
})

/**
 * An installation that a host has reported with a signed webhook. Written only by `change.ts`; its organization by
 * `link.ts`.
 */
export class SourceInstallation extends installation.class {}
installation.setClass(SourceInstallation)

const repository = defineEntity({
  name: 'SourceRepository',
  tableName: 'source_repository',
  policies: [tenantPolicy],
  properties: {
    /** That of the installation. */
    orgId: p.text().primary(),
    installationId: p.text().primary(),
    /** Number assigned by the host. */
    id: p.text().primary(),
    fullName: p.text(),
    url: p.text(),
    /** The normalized address, by which pushes are matched. */
    repositoryKey: p.text().default(''),
  },
  indexes: [{ properties: ['orgId', 'fullName'] }, { properties: ['repositoryKey'] }],
  uniques: [{ properties: ['installationId', 'id'] }],
})

/** A repository that an installation can see. Written only by `change.ts`; its organization by `link.ts`. */
export class SourceRepository extends repository.class {}
repository.setClass(SourceRepository)

const delivery = defineEntity({
  name: 'SourceDelivery',
  tableName: 'source_delivery',
  policies: [tenantPolicy],
  properties: {
    /** Empty: an installation may have no organization yet. */
    orgId: p.text().primary(),
    installationId: p.text().primary(),
    /** Id assigned by the host. */
    id: p.text().primary(),
    heardAt: p.datetime(3),
  },
})

/** A delivery about an installation that has been processed. Written only by `change.ts`. */
export class SourceDelivery extends delivery.class {}
delivery.setClass(SourceDelivery)

const claim = defineEntity({
  name: 'SourceClaim',
  tableName: 'source_claim',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    installationId: p.text().primary(),
    /** The owner, as the organization names it; empty if it did not. */
    account: p.text(),
    claimedAt: p.datetime(3),
  },
  indexes: [{ properties: ['installationId'] }],
})

/** An organization that waits up to an hour for a host to report an installation. Written only by `link.ts`. */
export class SourceClaim extends claim.class {}
claim.setClass(SourceClaim)

const link = defineEntity({
  name: 'SourceLink',
  tableName: 'source_link',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    repositoryKey: p.text().primary(),
    linkedAt: p.datetime(3),
  },
  uniques: [{ properties: ['repositoryKey'] }],
})

/** The organization of a repository that is linked directly, without an installation. Written only by `link.ts`. */
export class SourceLink extends link.class {}
link.setClass(SourceLink)
