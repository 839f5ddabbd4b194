/** Deployments and revisions in requests and responses (decision G-26). */
import type { Deployment, Revision } from '#actors/source/entity.ts'
import type { PushedDeployment } from '#actors/source/queries.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Name, Timestamp } from '#http/edge/parameter/field.ts'
import { badInput } from '#http/edge/problem.ts'
import { createExample, deploymentExample, exampleIds, revisionExample } from '#http/source/example.ts'
import { revisionStatuses, type DeploymentTerms } from '#streams/source/messages.ts'
import { branchMax, repositoryKey, repositoryUrlMax } from '#streams/source/repository-url.ts'
import { text } from '#streams/text.ts'

const bodyFields = {
  name: Name,
  spaceID: text({ minLength: 1, maxLength: 256, description: 'a space of the organization' }),
  repositoryURL: t.String({
    minLength: 1,
    maxLength: repositoryUrlMax,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'https, ssh or git@host:path; with https without a user, and never with a password',
  }),
  branch: t.String({
    minLength: 1,
    maxLength: branchMax,
    pattern: '^[^\\x00-\\x20\\x7f~^:?*\\[\\\\\\uD800-\\uDFFF]+$',
    description: 'branch name without refs/heads/',
  }),
}
const autoDeploy = { description: 'whether pushes to the branch are built' }

export const CreateBody = t.Object(
  { ...bodyFields, auto_deploy: t.Optional(t.Boolean({ description: `${autoDeploy.description}; default true` })) },
  { examples: [createExample] },
)
export const PatchBody = t.Partial(t.Object({ ...bodyFields, auto_deploy: t.Boolean(autoDeploy) }), {
  examples: [{ auto_deploy: false }],
})

export const ShownDeployment = t.Object(
  {
    id: t.String(),
    orgID: t.String(),
    name: t.String(),
    spaceID: t.String(),
    repositoryURL: t.String(),
    branch: t.String(),
    auto_deploy: t.Boolean(autoDeploy),
    currentRevisionID: t.Optional(t.String({ description: 'the newest revision with a successful build' })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Deployment', examples: [deploymentExample] },
)

export const showDeployment = (row: Deployment | PushedDeployment): Static<typeof ShownDeployment> => ({
  id: row.id,
  orgID: row.orgId,
  name: row.name,
  spaceID: row.spaceId,
  repositoryURL: row.repositoryUrl,
  branch: row.branch,
  auto_deploy: row.autoDeploy,
  ...(row.currentRevisionId && { currentRevisionID: row.currentRevisionId }),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export const ShownRevision = t.Object(
  {
    id: t.String({ description: 'UUID v5 of deliveryID in the namespace of deploymentID' }),
    deploymentID: t.String(),
    deliveryID: t.String({ description: 'of the webhook with the push' }),
    commitSHA: t.String(),
    ref: t.String(),
    status: t.Enum(revisionStatuses, {
      description: 'superseded: built after a newer revision was promoted',
    }),
    imageRef: t.Optional(t.String()),
    logsURL: t.Optional(t.String()),
    failureReason: t.Optional(t.String()),
    createdAt: Timestamp,
    completedAt: t.Optional(Timestamp),
  },
  { title: 'Revision', examples: [revisionExample] },
)

export const showRevision = (row: Revision): Static<typeof ShownRevision> => ({
  id: row.id,
  deploymentID: row.deploymentId,
  deliveryID: row.deliveryId,
  commitSHA: row.commitSha,
  ref: row.ref,
  status: row.status,
  ...(row.imageRef && { imageRef: row.imageRef }),
  ...(row.logsUrl && { logsURL: row.logsUrl }),
  ...(row.failureReason && { failureReason: row.failureReason }),
  createdAt: row.createdAt.toISOString(),
  ...(row.completedAt && { completedAt: row.completedAt.toISOString() }),
})

export const deploymentParams = t.Object({
  deploymentID: t.String({ description: 'as in GET /deployments', examples: [exampleIds.deployment] }),
})

type DeploymentPatch = Static<typeof PatchBody>

/**
 * The given terms in the actor's form. @throws Fault `invalid` for an address that is invalid or may contain a secret
 */
export function termsOf({
  name,
  spaceID,
  repositoryURL,
  branch,
  auto_deploy,
}: DeploymentPatch): Partial<DeploymentTerms> {
  const key = repositoryURL === undefined ? undefined : keyOf(repositoryURL)
  return {
    ...(name !== undefined && { name }),
    ...(spaceID !== undefined && { spaceId: spaceID }),
    ...(repositoryURL !== undefined && { repositoryUrl: repositoryURL, repositoryKey: key! }),
    ...(branch !== undefined && { branch }),
    ...(auto_deploy !== undefined && { autoDeploy: auto_deploy }),
  }
}

const wrongUrl = (code: string, message: string) => badInput({ in: 'body', name: '/repositoryURL', code, message })

const webSchemes: ReadonlySet<string> = new Set(['https:', 'http:'])
const otherSchemes: ReadonlySet<string> = new Set(['ssh:', 'git:'])

/**
 * Everyone who sees the deployment, and every builder, sees the address. Tokens may be in it as password, user or
 * parameter.
 */
function checkOpen(url: string): void {
  if (!url.includes('://')) return
  const { protocol, username, password, search, hash } = new URL(url)
  if (password !== '') throw wrongUrl('password', 'must not contain a password')
  if (search !== '' || hash !== '') throw wrongUrl('format', 'must not have a query or a fragment')
  if (webSchemes.has(protocol)) {
    if (username !== '') throw wrongUrl('user', 'must not contain a user, because with https that may be a token')
  } else if (!otherSchemes.has(protocol)) throw wrongUrl('format', 'must be https, http, ssh, git or git@host:path')
}

function keyOf(url: string): string {
  const key = repositoryKey(url)
  if (key === undefined) throw wrongUrl('format', 'must be a repository URL')
  checkOpen(url)
  return key
}
