import { defineEntity, p } from '@mikro-orm/core'
import { tenantPolicy } from '#engine/actor/tenant-policy.ts'
import type { RevisionStatus } from '#streams/source/messages.ts'

const deployment = defineEntity({
  name: 'Deployment',
  tableName: 'deployment',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    /** A UUID: the namespace of the ids of its revisions. */
    id: p.text().primary(),
    name: p.text(),
    spaceId: p.text(),
    /** As it was given. */
    repositoryUrl: p.text(),
    /** The one spelling of it that pushes are found by. */
    repositoryKey: p.text(),
    branch: p.text(),
    autoDeploy: p.boolean(),
    /** The newest revision whose build succeeded; null before one has. */
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

/** What is built from a branch of a repository, and where it runs. Written only by the deployment actor. */
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
    /** As the push called it. */
    repositoryUrl: p.text(),
    status: p.text().$type<RevisionStatus>(),
    imageRef: p.text().nullable(),
    logsUrl: p.text().nullable(),
    failureReason: p.text().nullable(),
    /** When the push was taken. */
    createdAt: p.datetime(3),
    /** When it was made, as its host says: what is later is newer. Null where the host does not say. */
    pushedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
  },
  indexes: [{ properties: ['id'] }, { properties: ['orgId', 'deploymentId', 'createdAt', 'id'] }],
})

/** One push that a deployment followed. Written only by the revision actor. */
export class Revision extends revision.class {}
revision.setClass(Revision)

const installation = defineEntity({
  name: 'SourceInstallation',
  tableName: 'source_installation',
  policies: [tenantPolicy],
  properties: {
    /** Empty until an organization has linked it; then nobody else can. */
    orgId: p.text().primary(),
    /** As its host numbers it. */
    id: p.text().primary(),
    /** Whose it is, as the host calls them. */
    account: p.text(),
    heardAt: p.datetime(3),
    linkedAt: p.datetime(3).nullable(),
    /** Once it was taken away: for good, for hosts number each anew. */
    goneAt: p.datetime(3).nullable(),
  },
  uniques: [{ properties: ['id'] }],
})

/** An installation that a host has told of by a signed webhook. Written only by `change.ts`, and whose it is by `link.ts`. */
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
    /** As the host numbers it. */
    id: p.text().primary(),
    fullName: p.text(),
    url: p.text(),
    /** The one spelling of the address that pushes are found by. */
    repositoryKey: p.text().default(''),
  },
  indexes: [{ properties: ['orgId', 'fullName'] }, { properties: ['repositoryKey'] }],
  uniques: [{ properties: ['installationId', 'id'] }],
})

/** A repository that an installation can see. Written only by `change.ts`, and whose it is by `link.ts`. */
export class SourceRepository extends repository.class {}
repository.setClass(SourceRepository)

const delivery = defineEntity({
  name: 'SourceDelivery',
  tableName: 'source_delivery',
  policies: [tenantPolicy],
  properties: {
    /** Empty: an installation may be nobody's yet. */
    orgId: p.text().primary(),
    installationId: p.text().primary(),
    /** As the host names the delivery. */
    id: p.text().primary(),
    heardAt: p.datetime(3),
  },
})

/** A delivery about an installation that has taken effect. Written only by `change.ts`. */
export class SourceDelivery extends delivery.class {}
delivery.setClass(SourceDelivery)

const claim = defineEntity({
  name: 'SourceClaim',
  tableName: 'source_claim',
  policies: [tenantPolicy],
  properties: {
    orgId: p.text().primary(),
    installationId: p.text().primary(),
    /** Whose it is, as the organization says; empty: it did not. */
    account: p.text(),
    claimedAt: p.datetime(3),
  },
  indexes: [{ properties: ['installationId'] }],
})

/** An organization that waits for a host to tell of an installation, for an hour. Written only by `link.ts`. */
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

/** Whose a repository is that is linked by itself, without an installation. Written only by `link.ts`. */
export class SourceLink extends link.class {}
link.setClass(SourceLink)
