/** The example deployment and revision in the API document. */
export const exampleIds = {
  deployment: '6f0c2c1e-5b1a-4d0e-9a57-1f2e3d4c5b6a',
  revision: 'a4a14383-9cce-58ee-b1ef-efc2cfaaecf3',
  space: '5b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
}

const terms = {
  name: 'Shop',
  spaceID: exampleIds.space,
  repositoryURL: 'https://example.test/acme/shop.git',
  branch: 'main',
  auto_deploy: true,
}

export const createExample = terms

export const deploymentExample = {
  id: exampleIds.deployment,
  orgID: '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01',
  ...terms,
  currentRevisionID: exampleIds.revision,
  createdAt: '2030-01-07T12:00:00.000Z',
  updatedAt: '2030-01-07T13:04:00.000Z',
}

export const revisionExample = {
  id: exampleIds.revision,
  deploymentID: exampleIds.deployment,
  deliveryID: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  commitSHA: '1111111111111111111111111111111111111111',
  ref: 'refs/heads/main',
  status: 'promoted',
  imageRef: 'registry.example.test/shop@sha256:1111',
  logsURL: 'https://builds.example.test/42',
  createdAt: '2030-01-07T13:00:00.000Z',
  completedAt: '2030-01-07T13:04:00.000Z',
}

const sha = '6dcb09b5b57875f334f61aebed695e2e4193db5e'
const ref = 'refs/heads/main'

/** The parts of each host's push webhook that are read; the webhooks contain much more. */
export const pushExamples = {
  github: { ref, after: sha, repository: { clone_url: terms.repositoryURL } },
  gitlab: { ref, after: sha, project: { git_http_url: terms.repositoryURL } },
  bitbucket: {
    push: { changes: [{ new: { type: 'branch', name: 'main', target: { hash: sha } } }] },
    repository: { links: { html: { href: 'https://example.test/acme/shop' } } },
  },
  azureDevops: {
    id: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    eventType: 'git.push',
    resource: { refUpdates: [{ name: ref, newObjectId: sha }], repository: { remoteUrl: terms.repositoryURL } },
  },
}
