/** Source hosting and builds: deployments, their revisions, and what hosts and builders tell of them (decisions G-26, G-97, G-98). */
import { t, type Static } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { outlet } from '#engine/actor/turn.ts'
import { sourceHosts } from '#streams/source/event.ts'
import { branchMax, repositoryUrlMax } from '#streams/source/repository-url.ts'
import { text } from '#streams/text.ts'

export const revisionStatuses = ['queued', 'building', 'promoted', 'superseded', 'failed'] as const
export type RevisionStatus = (typeof revisionStatuses)[number]

const id = text({ minLength: 1, maxLength: 256 })
const user = text({ maxLength: 256 })
const name = text({ minLength: 1, maxLength: 100 })
const moment = t.String({ format: 'date-time' })
const url = text({ minLength: 1, maxLength: 2048 })
const sha = text({ pattern: '^[0-9a-f]{40,64}$' })
const ref = text({ minLength: 1, maxLength: 1100 })

/** All that is said of a deployment and of its revisions takes one lane: promotion is in one order. */
const ofDeployment = { kind: 'actor', place: (data: { deploymentId: string }) => data.deploymentId } as const
const deployment = { deploymentId: id }
const deploymentExample = { deploymentId: '6f0c2c1e-5b1a-4d0e-9a57-1f2e3d4c5b6a' }

export const DeploymentTerms = t.Object({
  name,
  spaceId: id,
  repositoryUrl: text({ minLength: 1, maxLength: repositoryUrlMax }),
  /** The address in the one spelling that pushes are found by; follows from it. */
  repositoryKey: text({ minLength: 1, maxLength: repositoryUrlMax }),
  branch: text({ minLength: 1, maxLength: branchMax }),
  autoDeploy: t.Boolean(),
})
export type DeploymentTerms = Static<typeof DeploymentTerms>

/** Command: make or change a deployment. Replies `{ deploymentId }`. Refused: missing. */
export const deploymentSaved = subject({
  ...ofDeployment,
  name: 'deployment.saved',
  summary: 'Create or update a deployment.',
  once: true,
  schema: t.Union([
    t.Object({ ...deployment, isNew: t.Literal(true), terms: DeploymentTerms, userId: user }),
    t.Object({ ...deployment, isNew: t.Literal(false), terms: t.Partial(DeploymentTerms), userId: user }),
  ]),
  examples: [
    {
      ...deploymentExample,
      isNew: true,
      terms: {
        name: 'Shop',
        spaceId: '5b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
        repositoryUrl: 'https://example.test/acme/shop.git',
        repositoryKey: 'example.test/acme/shop',
        branch: 'main',
        autoDeploy: true,
      },
      userId: 'u-1',
    },
  ],
})

/** Command: remove it; its revisions stay. Replies `{ deploymentId }`. Refused: missing. */
export const deploymentRemoved = subject({
  ...ofDeployment,
  name: 'deployment.removed',
  summary: 'Delete a deployment.',
  once: true,
  schema: t.Object({ ...deployment, userId: user }),
  examples: [{ ...deploymentExample, userId: 'u-1' }],
})

/**
 * Somebody has pushed to the branch of a deployment: the revision is made, unless it is there, and its build is ordered. Replies
 * `{ revisionId, isNew }`. Refused: missing.
 */
export const revisionPushed = subject({
  ...ofDeployment,
  name: 'revision.pushed',
  summary: 'A commit was pushed to a branch tracked by a deployment.',
  once: true,
  schema: t.Object({
    ...deployment,
    /** UUID v5 of the delivery in the namespace of the deployment. */
    revisionId: id,
    deliveryId: id,
    commitSha: sha,
    ref,
    /** As the deployment is called in the push. */
    repositoryUrl: url,
    /** When it was made, as its host says. */
    pushedAt: t.Optional(moment),
  }),
  examples: [
    {
      ...deploymentExample,
      revisionId: 'a4a14383-9cce-58ee-b1ef-efc2cfaaecf3',
      deliveryId: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
      commitSha: '1111111111111111111111111111111111111111',
      ref: 'refs/heads/main',
      repositoryUrl: 'https://example.test/acme/shop.git',
    },
  ],
})

/** The order of a build is out. */
export const buildOrdered = subject({
  ...ofDeployment,
  name: 'build.ordered',
  summary: 'A build was ordered.',
  once: true,
  schema: t.Object({ ...deployment, revisionId: id }),
  examples: [{ ...deploymentExample, revisionId: 'a4a14383-9cce-58ee-b1ef-efc2cfaaecf3' }],
})

/**
 * A build is over. Runs alone: deployment and revision read the same rows and come to the same end. Replies
 * `{ revisionId, status }`. Refused: missing, conflict `revision_finished`.
 */
export const buildEnded = subject({
  ...ofDeployment,
  name: 'build.ended',
  summary: 'A builder reports the result of a build.',
  once: true,
  schema: t.Object({
    ...deployment,
    revisionId: id,
    status: t.Enum(['succeeded', 'failed']),
    imageRef: t.Optional(text({ minLength: 1, maxLength: 2048 })),
    logsUrl: t.Optional(url),
    completedAt: t.Optional(moment),
    failureReason: t.Optional(text({ maxLength: 2000 })),
  }),
  examples: [
    {
      ...deploymentExample,
      revisionId: 'a4a14383-9cce-58ee-b1ef-efc2cfaaecf3',
      status: 'succeeded',
      imageRef: 'registry.example.test/shop@sha256:1111',
    },
  ],
})

/**
 * A pull request is to be looked at: no build, no revision; one status is posted to its host. Asked under an id of its delivery.
 * Replies `{ asking }` of the one that came first. Refused: missing.
 */
export const pullRequestReceived = subject({
  ...ofDeployment,
  name: 'pull-request.received',
  summary: 'A pull request against the repository of a deployment.',
  once: true,
  schema: t.Object({
    ...deployment,
    host: t.Enum(sourceHosts),
    deliveryId: id,
    fullName: text({ minLength: 1, maxLength: 512 }),
    headSha: sha,
    number: t.Integer({ minimum: 0 }),
    /** Whether those who read the repository may be told what the space of the deployment costs; not unless said. */
    showsCost: t.Optional(t.Boolean()),
    /** Names who asks: a repeat has another one. */
    asking: id,
  }),
  examples: [
    {
      ...deploymentExample,
      host: 'github',
      deliveryId: '82d3162e-cc78-11e3-81ab-4c9367dc0958',
      fullName: 'acme/shop',
      headSha: '2222222222222222222222222222222222222222',
      number: 7,
      asking: 'b2d3162e-cc78-41e3-81ab-4c9367dc0958',
    },
  ],
})

/** A build, on `build.job.<org>.<deployment>` in the stream BUILD; known by the id of its revision. */
export const buildJob = outlet({
  name: 'build.job',
  prefix: 'build.job',
  summary: 'Build a revision.',
  key: (data) => data.deploymentID,
  schema: t.Object({
    revisionID: id,
    deploymentID: id,
    repositoryURL: url,
    commitSHA: sha,
    /** Where the builder says how it ended, and by what; left out where nothing is heard of builders. */
    callbackURL: t.Optional(url),
    /** HS256: rev, iat, exp = iat + 30 min. */
    callbackToken: t.Optional(text({ minLength: 1, maxLength: 4096 })),
  }),
  examples: [
    {
      revisionID: 'a4a14383-9cce-58ee-b1ef-efc2cfaaecf3',
      deploymentID: '6f0c2c1e-5b1a-4d0e-9a57-1f2e3d4c5b6a',
      repositoryURL: 'https://example.test/acme/shop.git',
      commitSHA: '1111111111111111111111111111111111111111',
      callbackURL: 'https://tidemark.example/build-callbacks/a4a14383-9cce-58ee-b1ef-efc2cfaaecf3',
      callbackToken: 'eyJhbGciOiJIUzI1NiJ9.e30.signature',
    },
  ],
})

export const sourceMessages = [
  deploymentSaved,
  deploymentRemoved,
  revisionPushed,
  buildOrdered,
  buildEnded,
  pullRequestReceived,
]
